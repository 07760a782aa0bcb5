import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { CommandError, EXIT } from './exit-code.js';

/** Bytes that tell apart all kinds of files that are met here. */
const START_BYTES = 4;
const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/**
 * The text of a file in UTF-8: decompressed when its first bytes say that it is compressed, whatever
 * its name, and without a byte order mark. Throws, with the path, when it is cut or of another encoding.
 */
export async function* textOf(path: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const packed = await peeked(bytes);
  const unpacker = unpackerOf(path, packed.start);
  const { start, all } =
    unpacker === undefined ? packed : await peeked(unpacked(path, packed, unpacker));
  if (start.includes(0) || UTF16_MARKS.some((mark) => beginsWith(start, mark))) {
    throw failure(`${path} is not in UTF-8; iconv -f UTF-16 -t UTF-8 converts what is in UTF-16`);
  }
  let skipped = beginsWith(start, UTF8_MARK) ? UTF8_MARK.length : 0;
  for await (const piece of all) {
    yield skipped === 0 ? piece : piece.subarray(skipped);
    skipped = 0;
  }
}

/** Bytes whose first ones are known; the first piece holds at least these. */
interface Peeked {
  readonly start: Buffer;
  readonly all: AsyncIterable<Buffer>;
}

async function peeked(bytes: AsyncIterable<Buffer>): Promise<Peeked> {
  const pieces = bytes[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  for (let isOver = false; start.length < START_BYTES && !isOver; ) {
    const { value, done = false } = await pieces.next();
    isOver = done;
    if (!done) start = Buffer.concat([start, value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  return { start: start.subarray(0, START_BYTES), all: all() };
}

function unpackerOf(path: string, start: Buffer): Transform | undefined {
  if (beginsWith(start, GZIP)) return zlib.createGunzip();
  if (!beginsWith(start, ZSTD)) return undefined;
  // Older versions of Node know nothing of it.
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };
  if (createZstdDecompress !== undefined) return createZstdDecompress();
  throw failure(
    `${path} is compressed by zstd, which takes Node 22.15: zstd -dc ${path} unpacks it`,
  );
}

async function* unpacked(
  path: string,
  { all }: Peeked,
  unpacker: Transform,
): AsyncGenerator<Buffer> {
  // What goes wrong ends the unpacker with the same error, and is told from there.
  pipeline(Readable.from(all), unpacker).catch(() => undefined);
  try {
    for await (const piece of unpacker) yield piece;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!/^(Z|ERR_Z)/.test(code)) throw error;
    throw failure(`${path} cannot be decompressed: ${message}`);
  }
}

const beginsWith = (bytes: Buffer, mark: Buffer): boolean =>
  bytes.subarray(0, mark.length).equals(mark);

const failure = (message: string): CommandError => new CommandError(EXIT.failed, message);
