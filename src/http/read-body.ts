import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError } from '../errors/api-error.js';
import { formatByteLimit } from '../indexes/byte-size.js';
import { abandonBody, decodedBody, encodingOf } from './content-encoding.js';

/** The bytes of a body, decompressed, with a limit on them after decompression. */
export function readBody(raw: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (encodingOf(raw) !== undefined) collect(raw, decodedBody(raw), limit, { resolve, reject });
    else if (Number(raw.headers['content-length']) > limit) reject(tooLarge(limit));
    else collect(raw, raw, limit, { resolve, reject });
  });
}

/** Who waits for the bytes of a body. */
interface Waiting {
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: ApiError) => void;
}

/** Gathers a stream with plain events: this is the hot path of every search. */
function collect(
  raw: IncomingMessage,
  source: Readable,
  limit: number,
  { resolve, reject }: Waiting,
): void {
  let chunks: Buffer[] = [];
  let length = 0;
  let hasEnded = false;
  // The listeners go with the body: taking them away would cost as much as having added them.
  source.on('data', (chunk: Buffer) => {
    if (length > limit) return;
    length += chunk.length;
    chunks.push(chunk);
    if (length <= limit) return;
    chunks = [];
    abandonBody(raw, source);
    reject(tooLarge(limit));
  });
  source.on('end', () => {
    hasEnded = true;
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
  });
  source.on('error', (error: Error) => reject(incomplete(error)));
  source.on('close', () => {
    if (!hasEnded) reject(incomplete(new Error('the connection closed before the body ended')));
  });
}

/** The error of a body over the limit. */
export function tooLarge(limit: number): ApiError {
  return new ApiError(
    'payload_too_large',
    `The provided payload reached the size limit. The maximum accepted payload size is ${formatByteLimit(limit)}.`,
  );
}

/** The error of a body that broke off or cannot be decompressed. */
export function incomplete(cause: unknown): ApiError {
  const message = 'The provided payload is incomplete and cannot be parsed';
  return new ApiError('bad_request', message, { cause });
}
