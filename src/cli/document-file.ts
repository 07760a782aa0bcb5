import { createReadStream, type Stats, statSync } from 'node:fs';
import { basename } from 'node:path';
import { CommandError, EXIT, usageError } from './exit-code.js';
import type { FileFormat } from './records.js';

/** A file of documents, or standard input. */
export interface DocumentFile {
  /** The path as it was given; `-` for standard input. */
  readonly path: string;
  readonly format: FileFormat;
  /** What stands between the fields of CSV, where the name says it. */
  readonly csvDelimiter: string | undefined;
  /** Bytes on disk; undefined for standard input, and for what is no file on a disk. */
  readonly size: number | undefined;
}

/** Stands for standard input where a file is named. */
export const STANDARD_INPUT = '-';

const ENDINGS: readonly (readonly [ending: RegExp, format: FileFormat])[] = [
  [/\.(ndjson|jsonl|jsonlines)$/i, 'ndjson'],
  [/\.json$/i, 'json'],
  [/\.(csv|tsv)$/i, 'csv'],
];

/** What a path names; the format follows from its ending unless it is given. */
export function documentFile(path: string, given: FileFormat | undefined): DocumentFile {
  const inside = path.replace(/\.(gz|zst)$/i, '');
  const format = given ?? ENDINGS.find(([ending]) => ending.test(inside))?.[1];
  if (format === undefined) {
    throw usageError(`the format of ${path} does not follow from its name: say --format`);
  }
  const csvDelimiter = format === 'csv' && /\.tsv$/i.test(inside) ? '\t' : undefined;
  return { path, format, csvDelimiter, size: sizeOf(path) };
}

/** The uid of the index that a file is for, by its name: `movies.ndjson.gz` is for `movies`. */
export function indexOfFile(path: string): string {
  const [name = ''] = basename(path).split('.');
  const uid = name.replace(/[^a-zA-Z0-9_-]+/g, '-');
  if (uid !== '' && path !== STANDARD_INPUT) return uid;
  throw usageError('say with --index where the documents belong');
}

/** The bytes of a file as they are; they end with an error once the signal is aborted. */
export async function* bytesOf(
  { path }: DocumentFile,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const file = path === STANDARD_INPUT ? process.stdin : createReadStream(path);
  // Nothing may come for long, as from a pipe.
  const stop = (): void => void file.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const piece of file) yield piece as Buffer;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function sizeOf(path: string): number | undefined {
  if (path === STANDARD_INPUT) return undefined;
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new CommandError(EXIT.notFound, `there is no file ${path}`);
    }
    throw error;
  }
  if (stats.isDirectory()) throw usageError(`${path} is a folder`);
  return stats.isFile() ? stats.size : undefined;
}
