import { rm } from 'node:fs/promises';
import { Archive } from '../native/archive.js';
import { BatchAborted } from '../native/engine-index.js';

/** How an archive is written. */
interface ArchiveOptions {
  readonly signal: AbortSignal;
  readonly readOnly: boolean;
  readonly scratch?: string;
  /** Compression from 0 to 9. */
  readonly level?: number;
}

/**
 * Writes an archive as a whole or not at all. When the signal aborts, what is under way stops and
 * `BatchAborted` is thrown. The scratch folder is gone in either case.
 */
export async function writeArchive(
  target: string,
  options: ArchiveOptions,
  fill: (archive: Archive) => Promise<void>,
): Promise<void> {
  const { signal, readOnly, scratch, level } = options;
  const archive = await Archive.create(target, level);
  const cancel = () => archive.cancel();
  signal.addEventListener('abort', cancel);
  try {
    if (signal.aborted) throw new BatchAborted();
    await fill(archive);
    await archive.finish({ readOnly });
  } catch (error) {
    await archive.discard();
    throw signal.aborted ? new BatchAborted() : error;
  } finally {
    signal.removeEventListener('abort', cancel);
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
  }
}
