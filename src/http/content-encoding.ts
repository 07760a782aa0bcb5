import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ApiError } from '../errors/api-error.js';
import { zstdDecoded } from '../native/zstd.js';

type Decode = (raw: IncomingMessage) => Readable;

/** Decompressors by content encoding. zstd is our own: not every runtime has it. */
const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', (raw) => through(raw, createGunzip())],
  ['x-gzip', (raw) => through(raw, createGunzip())],
  ['deflate', (raw) => through(raw, createInflate())],
  ['br', (raw) => through(raw, createBrotliDecompress())],
  ['zstd', zstdDecoded],
]);

/** The bytes of a request as they were before compression. */
export function decodedBody(raw: IncomingMessage): Readable {
  const encoding = encodingOf(raw);
  if (encoding === undefined) return raw;
  const decode = DECODERS.get(encoding);
  if (decode !== undefined) return decode(raw);
  const known = [...DECODERS.keys()].map((name) => `\`${name}\``).join(', ');
  throw new ApiError(
    'unsupported_media_type',
    `The Content-Encoding \`${encoding}\` is not supported, expected one of ${known}.`,
  );
}

/** Stops to decompress a body that is not wanted; what still arrives of it is thrown away. */
export function abandonBody(raw: IncomingMessage, decoded: Readable): void {
  if (decoded !== raw) {
    raw.unpipe();
    decoded.on('error', () => undefined);
    decoded.destroy();
  }
  raw.resume();
}

/** The compression of a request, if any. */
export function encodingOf(raw: IncomingMessage): string | undefined {
  const header = raw.headers['content-encoding']?.trim().toLowerCase();
  return header === undefined || header === '' || header === 'identity' ? undefined : header;
}

function through(raw: IncomingMessage, decoder: Readable & NodeJS.WritableStream): Readable {
  raw.once('error', (error) => decoder.destroy(error));
  return raw.pipe(decoder);
}
