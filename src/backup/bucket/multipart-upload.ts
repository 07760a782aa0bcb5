import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ApiError } from '../../errors/api-error.js';
import { timeLimit } from '../../waiting/time-limit.js';
import type { Bucket } from './bucket.js';
import { xmlEscaped, xmlText } from './xml-element.js';

/** Parts that an object may have. */
const MAX_PARTS = 10_000;
/** How long giving an upload up may take, in milliseconds. */
const ABORT_MS = 30_000;

/** A file to upload. */
export interface Upload {
  readonly path: string;
  readonly key: string;
  readonly partBytes: number;
  /** Parts that are on their way at once. */
  readonly maxInFlight: number;
  readonly signal: AbortSignal;
  /** Told of every part that has arrived, and of how many there are. */
  readonly onPart?: (total: number) => void;
}

interface Part {
  readonly number: number;
  readonly start: number;
  readonly length: number;
}

/**
 * Uploads a file in parts, each read from the disk as it is sent: memory does not grow with parts or
 * file. The object is there as a whole or not at all.
 */
export async function uploadFile(bucket: Bucket, upload: Upload): Promise<void> {
  const { key, signal } = upload;
  const parts = partsOf((await stat(upload.path)).size, upload.partBytes);
  const begun = await bucket.request({ method: 'POST', key, query: { uploads: '' }, signal });
  const uploadId = xmlText(begun.text, 'UploadId');
  if (uploadId === undefined) {
    throw new ApiError('s3_snapshot_server_error', 'S3 began an upload without naming it.');
  }
  try {
    const etags = await sendParts(bucket, { ...upload, uploadId, parts });
    const body = completion(parts, etags);
    const length = Buffer.byteLength(body);
    await bucket.request({
      method: 'POST',
      key,
      query: { uploadId },
      body: () => body,
      length,
      signal,
    });
  } catch (error) {
    // What arrived would be paid for until somebody removes it.
    const giveUp = timeLimit(ABORT_MS);
    await bucket
      .request({ method: 'DELETE', key, query: { uploadId }, signal: giveUp })
      .catch(() => undefined);
    throw error;
  }
}

/** Parts of one size but for the last; larger than asked for when there would be too many. */
export function partsOf(size: number, partBytes: number): readonly Part[] {
  const bytes = Math.max(partBytes, Math.ceil(size / MAX_PARTS));
  const count = Math.max(1, Math.ceil(size / bytes));
  return Array.from({ length: count }, (_, place) => {
    const start = place * bytes;
    return { number: place + 1, start, length: Math.min(bytes, size - start) };
  });
}

interface Sending extends Upload {
  readonly uploadId: string;
  readonly parts: readonly Part[];
}

/** Some workers take parts until none is left; the first failure stops all of them. */
async function sendParts(bucket: Bucket, sending: Sending): Promise<string[]> {
  const { parts, maxInFlight, onPart } = sending;
  const failure = new AbortController();
  const signal = AbortSignal.any([sending.signal, failure.signal]);
  const etags: string[] = [];
  const waiting = parts.values();
  const work = async () => {
    for (const part of waiting) {
      etags[part.number - 1] = await sendPart(bucket, part, { ...sending, signal });
      onPart?.(parts.length);
    }
  };
  const workers = Array.from({ length: Math.min(maxInFlight, parts.length) }, () =>
    work().catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(workers);
  if (failure.signal.aborted) throw failure.signal.reason;
  return etags;
}

async function sendPart(
  bucket: Bucket,
  { number, start, length }: Part,
  { key, path, uploadId, signal }: Sending,
): Promise<string> {
  const query = { partNumber: String(number), uploadId };
  const body = (): ReadableStream | string => {
    if (length === 0) return '';
    const file = createReadStream(path, { start, end: start + length - 1 });
    return Readable.toWeb(file) as ReadableStream;
  };
  const { etag } = await bucket.request({ method: 'PUT', key, query, body, length, signal });
  if (etag !== null) return etag;
  throw new ApiError('s3_snapshot_server_error', `S3 took part ${number} without its checksum.`);
}

function completion(parts: readonly Part[], etags: readonly string[]): string {
  const lines = parts.map(({ number }) => {
    const etag = xmlEscaped(etags[number - 1] ?? '');
    return `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`;
  });
  return `<CompleteMultipartUpload>${lines.join('')}</CompleteMultipartUpload>`;
}
