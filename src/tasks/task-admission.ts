import type { StoredTask } from '../native/store.js';
import type { PendingQueue } from './pending-queue.js';
import type { QueuedTask } from './queued-task.js';
import type { TaskEvents } from './task-events.js';

/** A task that waits to be let in. */
interface Early {
  readonly task: QueuedTask;
  readonly row: StoredTask;
  readonly isIn: () => void;
}

/**
 * Lets tasks into the queue strictly by uid. Answers of one commit may arrive in any order, and a
 * later write of an index must not be run before an earlier one.
 */
export class TaskAdmission {
  readonly #pending: PendingQueue;
  readonly #events: TaskEvents;
  /** Tasks whose answers overtook those of lower uids. */
  readonly #early = new Map<number, Early>();
  #nextUid = 0;

  constructor(pending: PendingQueue, events: TaskEvents) {
    this.#pending = pending;
    this.#events = events;
  }

  /** The lowest uid that was not let in yet. */
  get nextUid(): number {
    return this.#nextUid;
  }

  /** Takes lower uids for let in. */
  startAt(uid: number): void {
    this.#nextUid = uid;
  }

  /** Lets a task in once all before it are, says so, and those that waited for it. */
  admit(task: QueuedTask, row: StoredTask, isIn: () => void): void {
    this.#early.set(task.uid, { task, row, isIn });
    const tasks: StoredTask[] = [];
    for (;;) {
      const next = this.#early.get(this.#nextUid);
      if (next === undefined) break;
      this.#early.delete(next.task.uid);
      this.#pending.add(next.task);
      next.isIn();
      tasks.push(next.row);
      this.#nextUid += 1;
    }
    if (tasks.length === 0) return;
    const taskUids = tasks.map(({ uid }) => uid);
    this.#events.emit({ kind: 'enqueued', batchUid: undefined, taskUids, tasks });
  }
}
