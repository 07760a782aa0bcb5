import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError } from '../errors/api-error.js';
import { formatByteLimit } from '../indexes/byte-size.js';
import { abandonBody, decodedBody, encodingOf } from './content-encoding.js';

/** The bytes of a body, decompressed, with a limit on them after decompression. */
export async function readBody(raw: IncomingMessage, limit: number): Promise<Buffer> {
  if (encodingOf(raw) === undefined) {
    if (Number(raw.headers['content-length']) > limit) throw tooLarge(limit);
    return collect(raw, raw, limit);
  }
  return collect(raw, decodedBody(raw), limit);
}

/** Gathers a stream with plain events: this is the hot path of every search. */
function collect(raw: IncomingMessage, source: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = (): void => {
      source.off('data', onData);
      source.off('end', onEnd);
      source.off('error', onError);
      source.off('close', onClose);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= limit) return;
      stop();
      abandonBody(raw, source);
      reject(tooLarge(limit));
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
    };
    const onError = (error: Error): void => {
      stop();
      reject(incomplete(error));
    };
    const onClose = (): void => onError(new Error('the connection closed before the body ended'));
    source.on('data', onData);
    source.on('end', onEnd);
    source.on('error', onError);
    source.on('close', onClose);
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
