import type { IncomingMessage } from 'node:http';

/** Bytes of a refused body that are still read. */
const MAX_DISCARDED_BYTES = 256 * 2 ** 20;
/** How long they are waited for. */
const MAX_WAIT_MS = 10_000;

/**
 * Reads what is left of a body that is refused, and throws it away, as far as there is not too much of
 * it. Closed on a client that is still sending, a connection takes with it the answer that says why.
 */
export function discardedBody(raw: IncomingMessage): Promise<void> {
  if (raw.complete || raw.destroyed) return Promise.resolve();
  if (Number(raw.headers['content-length']) > MAX_DISCARDED_BYTES) return Promise.resolve();
  return new Promise((resolve) => {
    let left = MAX_DISCARDED_BYTES;
    const timer = setTimeout(end, MAX_WAIT_MS);
    raw.on('data', count).once('end', end).once('close', end).once('error', end).resume();

    function count(chunk: Buffer): void {
      left -= chunk.length;
      if (left < 0) end();
    }
    function end(): void {
      clearTimeout(timer);
      raw.off('data', count);
      resolve();
    }
  });
}
