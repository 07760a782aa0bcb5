import type { Pauses } from '../waiting/with-retries.js';

/** How often and how long something is tried. */
export interface RetryLimits {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** No pause begins that would end after this time. */
  readonly totalMs: number;
}

/** About 15 minutes, long enough for the other side to be restarted. */
export const DEFAULT_RETRY: RetryLimits = {
  firstPauseMs: 500,
  longestPauseMs: 60_000,
  totalMs: 15 * 60_000,
};

const GROWTH = 1.5;

/**
 * Pauses until the time is over, which begins now. They grow and vary by a half, so that many
 * clients of one server do not come back at once.
 */
export function pausesWithin({ firstPauseMs, longestPauseMs, totalMs }: RetryLimits): Pauses {
  const start = performance.now();
  return (retry) => {
    const pause = Math.min(firstPauseMs * GROWTH ** retry, longestPauseMs);
    const wait = pause * (0.5 + Math.random());
    return performance.now() - start + wait > totalMs ? undefined : wait;
  };
}
