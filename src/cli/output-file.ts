import { createWriteStream, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * Writes a file whole or not at all: what was there before stays until the last byte is on its way.
 * A name that ends in `.gz` has it compressed. What is no file on a disk, as a pipe, is written to.
 */
export async function writeWhole(
  path: string,
  pieces: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const steps = path.endsWith('.gz') ? [createGzip()] : [];
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) {
    await pipeline([Readable.from(pieces), ...steps, createWriteStream(path)], { signal });
    return;
  }
  // A link goes on to name the same file.
  const target = found === undefined ? path : realpathSync(path);
  const part = `${target}.part`;
  try {
    await pipeline([Readable.from(pieces), ...steps, createWriteStream(part)], { signal });
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
