import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { ApiError } from '../errors/api-error.js';

/** Makers of decompressors by content encoding; newer runtimes know zstd. */
const DECODERS: Readonly<Record<string, (() => zlib.Gunzip) | undefined>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress() as unknown as zlib.Gunzip,
  zstd: (zlib as { createZstdDecompress?: () => zlib.Gunzip }).createZstdDecompress,
};

/** The bytes of a request as they were before compression. */
export function decodedBody(raw: IncomingMessage): Readable {
  const encoding = encodingOf(raw);
  if (encoding === undefined) return raw;
  const decoder = DECODERS[encoding]?.();
  if (decoder === undefined) {
    const known = Object.keys(DECODERS).filter((name) => DECODERS[name] !== undefined);
    const message = `The Content-Encoding \`${encoding}\` is not supported, expected one of ${known.map((name) => `\`${name}\``).join(', ')}.`;
    throw new ApiError('unsupported_media_type', message);
  }
  raw.once('error', (error) => decoder.destroy(error));
  return raw.pipe(decoder);
}

/** The compression of a request, if any. */
export function encodingOf(raw: IncomingMessage): string | undefined {
  const header = raw.headers['content-encoding']?.trim().toLowerCase();
  return header === undefined || header === '' || header === 'identity' ? undefined : header;
}
