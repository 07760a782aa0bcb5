import { Readable } from 'node:stream';
import { NativeZstdDecoder } from '../../native/binding.cjs';
import { unwrap } from './unwrap.js';

/** Bytes that one call makes at most; as many mean that there may be more. */
const MAX_OUTPUT = 256 * 1024;

/** The bytes of a stream before zstd compressed them. Unpacks only as fast as it is read. */
export function zstdDecoded(source: Readable): Readable {
  return Readable.from(decode(source), { objectMode: false });
}

async function* decode(source: Readable): AsyncGenerator<Buffer> {
  const decoder = new NativeZstdDecoder();
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    let output = unwrap(await decoder.decode(chunk as Buffer));
    while (output.length === MAX_OUTPUT) {
      yield output;
      output = unwrap(await decoder.decode(null));
    }
    if (output.length > 0) yield output;
  }
  if (!decoder.isComplete) throw new Error('the compressed bytes broke off');
}
