import { BatchChanges } from './batch-changes.js';
import type { ChangeInterest } from './change-listeners.js';
import type { ChangeStream } from './change-stream.js';
import type { RunningBatch } from './running-batch.js';
import type { Batch, Task } from './task.js';
import { TaskChanges } from './task-changes.js';
import type { TaskQueue } from './task-queue.js';

/** What happens in the queue, as it happens, for any number of listeners. */
export class QueueChanges {
  readonly #batches: BatchChanges;
  readonly #tasks: TaskChanges;

  constructor(queue: TaskQueue, running: () => RunningBatch | undefined) {
    const { events } = queue;
    this.#batches = new BatchChanges({ events, running, ended: (uid) => queue.getBatch(uid) });
    this.#tasks = new TaskChanges({ events, list: (filter) => queue.list(filter) });
  }

  /** A state of a batch each time its progress or status changes. */
  followBatches(interest: ChangeInterest<Batch>): ChangeStream {
    return this.#batches.follow(interest);
  }

  /** A state of a task each time its status changes. */
  followTasks(interest: ChangeInterest<Task>): ChangeStream {
    return this.#tasks.follow(interest);
  }

  /** Ends every stream. */
  end(): void {
    this.#batches.end();
    this.#tasks.end();
  }
}
