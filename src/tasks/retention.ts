import type { Store, UidRanges } from '../native/store.js';
import type { TaskQueue } from './task-queue.js';
import { nUids } from './uid-ranges.js';

/** How much history is kept. */
export interface RetentionLimits {
  /** From this many tasks on, old ones are forgotten. */
  readonly maxTasks: number;
  /** How many are forgotten at once. */
  readonly atOnce: number;
}

/** What is kept when nothing is said. */
export const DEFAULT_RETENTION: RetentionLimits = { maxTasks: 1_000_000, atOnce: 100_000 };

const ENDED = ['succeeded', 'failed', 'canceled'];

/**
 * @internal Enqueues the forgetting of the oldest ended tasks when the history is full. Counting is left to
 * the times when so many tasks came in that it may have become full.
 */
export class Retention {
  readonly #store: Store;
  readonly #tasks: TaskQueue;
  readonly #limits: RetentionLimits;
  /** Uid from which on the history is counted again. */
  #countAgainAt = 0;

  constructor(store: Store, tasks: TaskQueue, limits: RetentionLimits = DEFAULT_RETENTION) {
    this.#store = store;
    this.#tasks = tasks;
    this.#limits = limits;
  }

  /** Looks after the history; `nextUid` is the uid that the next task will get. */
  async check(nextUid: number): Promise<void> {
    if (nextUid < this.#countAgainAt) return;
    const { maxTasks, atOnce } = this.#limits;
    const missing = maxTasks - (await this.#store.countTasks());
    if (missing > 0) {
      this.#countAgainAt = nextUid + missing;
      return;
    }
    this.#countAgainAt = nextUid + Math.max(1, Math.floor(atOnce / 10));
    const tasks = firstUids(await this.#store.matchingTasks({ statuses: ENDED }), atOnce);
    const last = tasks.at(-1);
    if (last === undefined || nUids(tasks) < 2) return;
    const newest = await this.#tasks.get(last[1]);
    const before = encodeURIComponent(newest?.enqueuedAt ?? '');
    const originalFilter = `?beforeEnqueuedAt=${before}&statuses=${ENDED.join(',')}`;
    await this.#tasks.enqueue({ type: 'taskDeletion', tasks, originalFilter });
  }
}

/** The lowest uids of a set, so many at most. */
function firstUids(ranges: UidRanges, most: number): UidRanges {
  const chosen: [number, number][] = [];
  let left = most;
  for (const [first, last] of ranges) {
    if (left <= 0) break;
    const end = Math.min(last, first + left - 1);
    chosen.push([first, end]);
    left -= end - first + 1;
  }
  return chosen;
}
