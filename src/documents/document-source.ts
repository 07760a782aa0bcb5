import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Payload } from '../tasks/task-draft.js';
import type { PayloadFormat, PayloadReader } from './payload-reader.js';

/** Documents, or bytes that hold them: an array, an async iterable, a Node or a web stream. */
export type DocumentSource<T extends object> =
  | readonly T[]
  | Iterable<T>
  | AsyncIterable<T | Uint8Array | string>
  | ReadableStream<T | Uint8Array | string>;

/** Sources up to this many bytes stay in memory. */
const IN_MEMORY_BYTES = 64 * 1024;

/** Reads a source of any size in constant memory. Objects become NDJSON; bytes are of `format`. */
export async function payloadOf<T extends object>(
  source: DocumentSource<T>,
  format: PayloadFormat,
  reader: PayloadReader,
): Promise<Payload> {
  let chunks: Buffer[] = [];
  let length = 0;
  let written: PayloadFormat = format;
  let file: { handle: FileHandle; path: string } | undefined;
  try {
    for await (const item of source as AsyncIterable<T | Uint8Array | string>) {
      const isBytes = typeof item === 'string' || item instanceof Uint8Array;
      if (!isBytes) written = { format: 'ndjson' };
      const chunk = Buffer.from(isBytes ? item : `${JSON.stringify(item)}\n`);
      chunks.push(chunk);
      length += chunk.length;
      if (length <= IN_MEMORY_BYTES) continue;
      file ??= await spool(reader.newRawPath());
      await file.handle.appendFile(Buffer.concat(chunks));
      [chunks, length] = [[], IN_MEMORY_BYTES];
    }
  } catch (error) {
    await file?.handle.close();
    if (file !== undefined) await rm(file.path, { force: true });
    throw error;
  }
  if (file === undefined)
    return length === 0 ? EMPTY : reader.fromBytes(Buffer.concat(chunks), written);
  await file.handle.close();
  return reader.fromFile(file.path, written);
}

const EMPTY: Payload = { documents: 0, bytes: 0, content: { inline: '' } };

async function spool(path: string): Promise<{ handle: FileHandle; path: string }> {
  return { handle: await open(path, 'wx'), path };
}
