/**
 * A signal that is aborted with a `TimeoutError` after so many milliseconds, whoever listens to it.
 *
 * Node 20 collects a timeout that only combined signals (`AbortSignal.any`) listen to, which are then
 * never aborted. A listener of its own keeps this one until its time is over.
 */
export function timeLimit(ms: number): AbortSignal {
  const signal = AbortSignal.timeout(ms);
  signal.addEventListener('abort', () => undefined, { once: true });
  return signal;
}
