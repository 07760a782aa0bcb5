import {
  preparePayload as nativePreparePayload,
  prepareSmallPayload as nativePrepareSmallPayload,
} from '../../native/binding.cjs';
import { unwrap } from './unwrap.js';

/** Where a payload is read from and written to. */
export interface PayloadOptions {
  /** Documents; `ids`: a list of ids in JSON, which become one JSON string a line. */
  format: 'json' | 'ndjson' | 'csv' | 'ids';
  /** One ASCII character, for CSV. */
  delimiter?: string;
  /** A file to read, when no bytes are given. */
  rawPath?: string;
  /** A file to write, synced to disk; without it the result is given back. */
  outPath?: string;
}

/** A checked payload: its size, and its NDJSON unless that went to a file. */
export interface PreparedPayload {
  documents: number;
  bytes: number;
  inline?: string;
  /** CRC-32 of a file. */
  crc32?: number;
}

/** Checks documents and rewrites them as NDJSON on a native thread. */
export async function preparePayload(
  options: PayloadOptions,
  bytes: Buffer | null,
): Promise<PreparedPayload> {
  return JSON.parse(unwrap(await nativePreparePayload(JSON.stringify(options), bytes)));
}

/** Checks documents of a few kilobytes and rewrites them as NDJSON on the spot. */
export function prepareSmallPayload(
  { format, delimiter }: Pick<PayloadOptions, 'format' | 'delimiter'>,
  bytes: Buffer,
): Pick<PreparedPayload, 'documents'> & { inline: string } {
  return unwrap(nativePrepareSmallPayload(format, delimiter, bytes));
}
