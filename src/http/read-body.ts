import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError } from '../errors/api-error.js';
import { formatByteLimit } from '../indexes/byte-size.js';
import { abandonBody, decodedBody, encodingOf } from './content-encoding.js';

/**
 * Values in a body at most, roughly. Reading one as JSON takes the event loop up to a microsecond for
 * each, and some hundred bytes: a hundred megabytes of empty lists would be 25 seconds and gigabytes.
 */
export const MAX_VALUES = 2_000_000;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** The bytes of a JSON body, decompressed, with limits on them after decompression. */
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
  let values = 0;
  let hasEnded = false;
  const refuse = (error: ApiError) => {
    length = Number.POSITIVE_INFINITY;
    chunks = [];
    abandonBody(raw, source);
    reject(error);
  };
  // The listeners go with the body: taking them away would cost as much as having added them.
  source.on('data', (chunk: Buffer) => {
    if (length > limit) return;
    length += chunk.length;
    chunks.push(chunk);
    if (length > limit) return refuse(tooLarge(limit));
    if (length <= MAX_VALUES) return;
    // Fewer bytes could not have so many.
    const isFirst = length - chunk.length <= MAX_VALUES;
    for (const bytes of isFirst ? chunks : [chunk]) values += countValues(bytes);
    if (values > MAX_VALUES) refuse(tooManyValues());
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

/** At most so many values are in a part of a body, texts with commas taken for several. */
function countValues(bytes: Buffer): number {
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
  }
  return values;
}

function tooManyValues(): ApiError {
  const message = `The provided payload has too many values. The maximum is ${MAX_VALUES}.`;
  return new ApiError('payload_too_large', message);
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
