import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError, EXIT, usageError } from './exit-code.js';
import type { FileFormat } from './records.js';

/** A file of documents, or standard input. */
export interface DocumentFile {
  /** The path as it was given; `-` for standard input. */
  readonly path: string;
  readonly format: FileFormat;
  readonly isCompressed: boolean;
  /** Bytes on disk; undefined for standard input. */
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
  const isCompressed = /\.gz$/i.test(path);
  const inside = path.replace(/\.gz$/i, '');
  const format = given ?? ENDINGS.find(([ending]) => ending.test(inside))?.[1];
  if (format === undefined) {
    throw usageError(`the format of ${path} does not follow from its name: say --format`);
  }
  return { path, format, isCompressed, size: sizeOf(path) };
}

/** The uid of the index that a file is for, by its name: `movies.ndjson.gz` is for `movies`. */
export function indexOfFile(path: string): string {
  const [name = ''] = basename(path).split('.');
  const uid = name.replace(/[^a-zA-Z0-9_-]+/g, '-');
  if (uid !== '' && path !== STANDARD_INPUT) return uid;
  throw usageError('say with --index where the documents belong');
}

/** The bytes of a file, decompressed; `onRead` hears how many bytes of it were read. */
export function readDocuments(
  { path, isCompressed }: DocumentFile,
  stdin: Readable,
  onRead: (bytes: number) => void,
): AsyncIterable<Buffer> {
  const file: Readable = path === STANDARD_INPUT ? stdin : createReadStream(path);
  let read = 0;
  file.on('data', (piece: Buffer) => {
    read += piece.length;
    onRead(read);
  });
  if (!isCompressed) return file;
  const unpacked = createGunzip();
  file.on('error', (error) => unpacked.destroy(error));
  return file.pipe(unpacked);
}

function sizeOf(path: string): number | undefined {
  if (path === STANDARD_INPUT) return undefined;
  try {
    const stats = statSync(path);
    if (stats.isFile()) return stats.size;
  } catch {
    throw new CommandError(EXIT.notFound, `there is no file ${path}`);
  }
  throw usageError(`${path} is no file`);
}
