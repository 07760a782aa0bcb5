import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compressAnswer, freeAnswer, type NativeEncoding } from '../native/answer.js';

/** Answers below this many bytes fit a few packets: compressing them saves nothing. */
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

/** Compresses answers for clients that ask for it, off the main thread. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(payload);
    if (size === 0) {
      done(null, payload);
      return;
    }
    const isLarge = size >= MIN_BYTES;
    const accepted = acceptedEncodings(request);
    // Who names one encoding alone may take every answer for such, as the client for Go does.
    const found = isLarge || accepted.size === 1 ? compressionFor(accepted) : undefined;
    if (isLarge || found !== undefined) reply.header('vary', 'accept-encoding');
    if (found === undefined) {
      done(null, payload);
      return;
    }
    const [encoding, compress] = found;
    const answer = Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload));
    compress(answer).then(
      (bytes) => {
        freeAnswer(answer);
        markCompressed(reply, encoding);
        done(null, bytes);
      },
      (error: Error) => done(error),
    );
  });
}

/** The bytes of an answer that is there as a whole; 0 for streams, and where there is none. */
function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
}

function markCompressed(reply: FastifyReply, encoding: string): void {
  reply.header('content-encoding', encoding);
  reply.removeHeader('content-length');
}

function compressionFor(accepted: ReadonlySet<string>) {
  return COMPRESSIONS.find(([encoding]) => accepted.has(encoding));
}

/** The encodings that a request accepts, without those of weight zero. */
function acceptedEncodings({ headers }: FastifyRequest): Set<string> {
  const items = String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',');
  return new Set(
    items.flatMap((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
      const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
      return isRefused ? [] : [name];
    }),
  );
}
