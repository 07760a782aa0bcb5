import type { Writable } from 'node:stream';

/**
 * Writes to a stream of the process. What it does not take, because its disk is full or nobody reads
 * it any more, is lost: no log is worth the end of the process.
 */
export function lossyOutput(stream: Writable): (text: string) => void {
  stream.on('error', () => undefined);
  return (text) => {
    try {
      stream.write(text);
    } catch {
      // Files are written at once, and may refuse it at once.
    }
  };
}
