import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compressAnswer, freeAnswer, type NativeEncoding } from '../native/answer.js';

/** Answers below this many bytes fit a few packets: compressing them only costs time. */
const MIN_BYTES = 4096;

type Compress = (bytes: Buffer) => Promise<Buffer>;

const brotliAsync = promisify(brotliCompress) as (
  bytes: Buffer,
  options: object,
) => Promise<Buffer>;

const natively = (encoding: NativeEncoding): readonly [string, Compress] => [
  encoding,
  (bytes) => compressAnswer(bytes, encoding),
];

/** Compressions by content encoding, those first that cost least. All run fast rather than small. */
const COMPRESSIONS: readonly (readonly [encoding: string, compress: Compress])[] = [
  natively('zstd'),
  natively('gzip'),
  natively('deflate'),
  ['br', (bytes) => brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
];

/** Compresses large answers for clients that ask for it, off the main thread. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!Buffer.isBuffer(payload) || payload.length < MIN_BYTES) {
      done(null, payload);
      return;
    }
    reply.header('vary', 'accept-encoding');
    const found = compressionFor(request);
    if (found === undefined) {
      done(null, payload);
      return;
    }
    const [encoding, compress] = found;
    compress(payload).then(
      (bytes) => {
        freeAnswer(payload);
        markCompressed(reply, encoding);
        done(null, bytes);
      },
      (error: Error) => done(error),
    );
  });
}

function markCompressed(reply: FastifyReply, encoding: string): void {
  reply.header('content-encoding', encoding);
  reply.removeHeader('content-length');
}

function compressionFor(request: FastifyRequest) {
  const header = request.headers['accept-encoding'];
  if (header === undefined) return undefined;
  const accepted = acceptedEncodings(String(header));
  return COMPRESSIONS.find(([encoding]) => accepted.has(encoding));
}

/** The encodings that a header lists, without those of weight zero. */
function acceptedEncodings(header: string): Set<string> {
  const items = header.toLowerCase().split(',');
  return new Set(
    items.flatMap((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
      const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
      return isRefused ? [] : [name];
    }),
  );
}
