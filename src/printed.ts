import type { Writable } from 'node:stream';

/**
 * Ends a program once nobody takes what it prints: with 0 where the reader has seen enough, as `head` has, else with 1
 * and the reason.
 */
export function endWithOutput(out: Writable, err: Writable, end: (status: number) => void): void {
  err.on('error', () => undefined);
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      end(0);
      return;
    }
    err.write(`serval: the result cannot be written: ${error.message}\n`);
    end(1);
  });
}
