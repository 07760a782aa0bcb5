/** The longest time that a timer takes, in milliseconds: one that is given more is over at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A time as timers take it: whole milliseconds, and those of 24 days for all that is longer. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), LONGEST_TIMER_MS);
}

/**
 * A signal that is aborted with a `TimeoutError` after so many milliseconds, whoever listens to it.
 *
 * Node 20 collects a timeout that only combined signals (`AbortSignal.any`) listen to, which are then
 * never aborted. A listener of its own keeps this one until its time is over.
 */
export function timeLimit(ms: number): AbortSignal {
  const signal = AbortSignal.timeout(timerMs(ms));
  signal.addEventListener('abort', () => undefined, { once: true });
  return signal;
}
