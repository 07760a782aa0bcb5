import type { TaskQueue } from '../tasks/task-queue.js';
import { LONGEST_TIMER_MS } from '../waiting/time-limit.js';

/** Enqueues a snapshot after every interval, whether the one before was run or not. */
export class SnapshotSchedule {
  readonly #tasks: Pick<TaskQueue, 'enqueue'>;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(tasks: Pick<TaskQueue, 'enqueue'>, intervalSeconds: number) {
    this.#tasks = tasks;
    this.#intervalMs = intervalSeconds * 1000;
  }

  /** Starts to count. The process may end while it waits. */
  start(): void {
    this.#wait(this.#intervalMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(leftMs: number): void {
    const now = Math.min(leftMs, LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      if (leftMs > now) return this.#wait(leftMs - now);
      this.#wait(this.#intervalMs);
      // A full disk refuses it; the next interval tries again.
      this.#tasks.enqueue({ type: 'snapshotCreation' }).catch(() => undefined);
    }, now);
    this.#timer.unref();
  }
}
