import { setTimeout as delay } from 'node:timers/promises';

/** How often and how long something is tried. */
export interface RetryLimits {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** No pause begins after this time. */
  readonly totalMs: number;
}

/** About 15 minutes, long enough for the other side to be restarted. */
export const DEFAULT_RETRY: RetryLimits = {
  firstPauseMs: 500,
  longestPauseMs: 60_000,
  totalMs: 15 * 60_000,
};

const GROWTH = 1.5;

/** What one try came to. */
export type Attempt<T> = { readonly value: T } | { readonly again: Error };

/**
 * Tries until there is a value or the time is over, with pauses that grow and vary by a half, so
 * that many clients of one server do not come back at once. Throws the last reason to try again,
 * or at once what a try throws.
 */
export async function withRetries<T>(
  attempt: () => Promise<Attempt<T>>,
  signal: AbortSignal,
  limits: RetryLimits = DEFAULT_RETRY,
): Promise<T> {
  const start = performance.now();
  for (let pause = limits.firstPauseMs; ; pause = Math.min(pause * GROWTH, limits.longestPauseMs)) {
    const outcome = await attempt();
    if ('value' in outcome) return outcome.value;
    const wait = pause * (0.5 + Math.random());
    if (performance.now() - start + wait > limits.totalMs) throw outcome.again;
    await delay(wait, undefined, { signal });
  }
}
