import { setTimeout as delay } from 'node:timers/promises';

/** Thrown by a try after which another one may succeed. */
export class PassingFailure extends Error {
  /** What is thrown when no other follows. */
  readonly reason: Error;

  constructor(reason: Error) {
    super(reason.message);
    this.reason = reason;
  }
}

/**
 * Milliseconds from a passing failure to the next try, `undefined` when there were enough. `retry`
 * is 0 after the first try.
 */
export type Pauses = (retry: number, reason: Error) => number | undefined;

/**
 * Tries until a try succeeds, with pauses after failures that may pass; any other is thrown at once.
 * Throws the last reason when there were enough tries, or when the signal is aborted in a pause.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  pauses: Pauses,
  signal: AbortSignal,
): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof PassingFailure)) throw failure;
      const ms = pauses(retry, failure.reason);
      if (ms === undefined || !(await waited(ms, signal))) throw failure.reason;
    }
  }
}

/** So many pauses, each twice as long as the one before. */
export function doublingPauses(firstMs: number, count: number): Pauses {
  return (retry) => (retry < count ? firstMs * 2 ** retry : undefined);
}

/** Whether the time is over, and not the waiting for it. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
