import type { QueuedTask } from './queued-task.js';
import type { TaskType } from './task.js';

/** A view of the tasks that wait, as the choice of a batch sees it. Iteration is oldest first. */
export interface QueueView {
  readonly size: number;
  oldest(): QueuedTask | undefined;
  ofType(type: TaskType): Iterable<QueuedTask>;
  /** Tasks that mention an index. */
  ofIndex(indexUid: string): Iterable<QueuedTask>;
}

type Group = Map<number, QueuedTask>;

/**
 * The tasks that wait, by uid, type and index. Adding and removing take constant time, so that the
 * choice of a batch costs what the batch holds, not what the queue holds.
 */
export class PendingQueue implements QueueView {
  readonly #all: Group = new Map();
  readonly #byType = new Map<string, Group>();
  readonly #byIndex = new Map<string, Group>();

  get size(): number {
    return this.#all.size;
  }

  /** Adds a task; uids must ascend. A task that is already there is ignored. */
  add(task: QueuedTask): void {
    if (this.#all.has(task.uid)) return;
    this.#all.set(task.uid, task);
    groupOf(this.#byType, task.type).set(task.uid, task);
    for (const index of task.mentions) groupOf(this.#byIndex, index).set(task.uid, task);
  }

  /** Removes a task; an unknown uid is ignored. */
  remove(uid: number): void {
    const task = this.#all.get(uid);
    if (task === undefined) return;
    this.#all.delete(uid);
    removeFrom(this.#byType, task.type, uid);
    for (const index of task.mentions) removeFrom(this.#byIndex, index, uid);
  }

  get(uid: number): QueuedTask | undefined {
    return this.#all.get(uid);
  }

  oldest(): QueuedTask | undefined {
    return this.#all.values().next().value;
  }

  all(): Iterable<QueuedTask> {
    return this.#all.values();
  }

  ofType(type: TaskType): Iterable<QueuedTask> {
    return this.#byType.get(type)?.values() ?? [];
  }

  ofIndex(indexUid: string): Iterable<QueuedTask> {
    return this.#byIndex.get(indexUid)?.values() ?? [];
  }

  /** How many tasks mention an index. */
  countOf(indexUid: string): number {
    return this.#byIndex.get(indexUid)?.size ?? 0;
  }

  /** The indexes that waiting tasks mention. */
  indexUids(): Iterable<string> {
    return this.#byIndex.keys();
  }
}

function groupOf(groups: Map<string, Group>, key: string): Group {
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group: Group = new Map();
  groups.set(key, group);
  return group;
}

function removeFrom(groups: Map<string, Group>, key: string, uid: number): void {
  const group = groups.get(key);
  group?.delete(uid);
  if (group?.size === 0) groups.delete(key);
}
