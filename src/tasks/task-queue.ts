import { rm, statfs } from 'node:fs/promises';
import { basename } from 'node:path';
import { ApiError } from '../errors/api-error.js';
import { instanceClosed } from '../errors/instance-closed.js';
import { taskNotFound } from '../errors/not-found.js';
import type { Store, StoredTask } from '../native/store.js';
import { timerMs } from '../waiting/time-limit.js';
import { whenAborted } from '../waiting/when-aborted.js';
import type { PendingQueue } from './pending-queue.js';
import type { QueueRoom } from './queue-room.js';
import {
  mentionsOf,
  type QueuedTask,
  queuedDraft,
  queuedTask,
  type TaskContent,
} from './queued-task.js';
import type { RunningBatch } from './running-batch.js';
import {
  type Batch,
  type BatchProgress,
  type IndexUpdate,
  isFinished,
  type Page,
  type Task,
  type TaskSummary,
} from './task.js';
import type { TaskCounts } from './task-counts.js';
import { isPartialImport, pendingDetails } from './task-details.js';
import type { TaskDraft } from './task-draft.js';
import type { TaskEvents } from './task-events.js';
import { criteriaOf, queryOf, type TaskFilter } from './task-filter.js';
import { checkedTaskFilter, checkedUid } from './task-filter-check.js';
import { batchView, summaryView, taskView } from './task-view.js';
import { holdsUid } from './uid-ranges.js';

/** How many waiting tasks are read at once at the most when a data folder is opened. */
const PAGE_OF_PENDING = 10_000;

const MUST_RESTART =
  'The task queue was compacted; you must restart your instance before it takes writes again.';

/** How long to wait for a task, which goes on whatever becomes of the waiting. */
export interface WaitLimits {
  /** Milliseconds, after which a `TimeoutError` is thrown; without end when absent. */
  timeoutMs?: number | undefined;
  /** Aborted, its reason is thrown. */
  signal?: AbortSignal | undefined;
}

/** What the queue is made of. @internal */
export interface TaskQueueParts {
  readonly store: Store;
  readonly pending: PendingQueue;
  readonly events: TaskEvents;
  readonly running: () => RunningBatch | undefined;
  readonly room: QueueRoom;
  /** Where the store is on disk. */
  readonly folder: string;
}

/** The queue of writes, and its history. */
export class TaskQueue {
  /** What happens to tasks, as it happens. */
  readonly events: TaskEvents;
  readonly #store: Store;
  readonly #pending: PendingQueue;
  readonly #running: () => RunningBatch | undefined;
  readonly #folder: string;
  readonly #room: QueueRoom;
  #compacting: Promise<void> | undefined;
  #mustRestart = false;
  /** The lowest uid that was not let in yet. */
  #nextUid = 0;
  /** Fails those who wait for tasks. */
  readonly #waiting = new Set<(reason: unknown) => void>();
  #isClosed = false;
  /** Tasks whose answers overtook those of lower uids. */
  readonly #early = new Map<number, { task: QueuedTask; row: StoredTask }>();

  /** @internal */
  constructor({ store, pending, events, running, room, folder }: TaskQueueParts) {
    this.#folder = folder;
    this.#room = room;
    this.events = events;
    this.#store = store;
    this.#pending = pending;
    this.#running = running;
  }

  /** Whether writes are refused until the next start. */
  get mustRestart(): boolean {
    return this.#mustRestart;
  }

  /** The uid after the last task that was let in. */
  get nextUid(): number {
    return this.#nextUid;
  }

  /** Reads the tasks that wait from the store. @internal */
  async load(): Promise<void> {
    this.#nextUid = await this.#store.nextTaskUid();
    for await (const page of this.#store.queuedPages(PAGE_OF_PENDING)) {
      for (const stored of page) this.#pending.add(queuedTask(stored));
    }
  }

  /** Throws when writes are refused until the next start. @internal */
  requireOpen(): void {
    if (this.#isClosed) throw instanceClosed();
    if (this.#mustRestart) throw new ApiError('invalid_state', MUST_RESTART);
  }

  /** Adds a write; resolves once it is on disk. The file of one that is refused is removed. @internal */
  async enqueue(draft: TaskDraft): Promise<TaskSummary> {
    if (this.#compacting !== undefined) await this.#compacting;
    try {
      this.requireOpen();
      await this.#room.require(draft);
    } catch (error) {
      await removePayload(draft);
      throw error;
    }
    const { content, payload } = stored(draft);
    const task = {
      type: draft.type,
      indexUid: 'indexUid' in draft ? draft.indexUid : null,
      mentions: mentionsOf(draft),
      details: pendingDetails(draft),
      content,
      customMetadata: 'customMetadata' in draft ? draft.customMetadata : undefined,
    };
    const enqueued = await this.#store.enqueue(task, payload).catch(async (error) => {
      // After any other failure the row might be there all the same when the store is opened next.
      if (isFullDisk(error)) await removePayload(draft);
      throw error;
    });
    this.#abortIfCanceled(draft);
    this.#admit(queuedDraft(enqueued.uid, content), enqueued);
    return summaryView(enqueued);
  }

  /** A page of tasks, the newest first unless asked otherwise. */
  async list(filter: TaskFilter = {}): Promise<Page<Task>> {
    const page = await this.#store.tasks(checkedTaskFilter(filter));
    return { ...page, results: page.results.map(taskView) };
  }

  /** Tasks as updates of their indexes. @internal */
  async updates(filter: TaskFilter): Promise<IndexUpdate[]> {
    const updates: IndexUpdate[] = [];
    for await (const stored of this.#store.allTasks(filter)) {
      updates.push({ task: taskView(stored), isPartial: isPartialImport(stored.details) });
    }
    return updates;
  }

  /** The task of a uid; `undefined` when there is none, or no more. */
  async get(uid: number): Promise<Task | undefined> {
    const task = await this.#store.task(checkedUid(uid, 'invalid_task_uids'));
    return task === undefined ? undefined : taskView(task);
  }

  /**
   * The task once it has ended, however it did. Throws `task_not_found`, the reason of the signal, a
   * `TimeoutError` when the time is over, or `invalid_state` when the instance is closed first.
   */
  async waitFor(uid: number, options: WaitLimits = {}): Promise<Task> {
    const signals = options.signal === undefined ? [] : [options.signal];
    if (options.timeoutMs !== undefined)
      signals.push(AbortSignal.timeout(timerMs(options.timeoutMs)));
    for (;;) {
      const ended = this.#nextEnd(uid, signals);
      const task = await this.get(uid).catch((error) => {
        ended.cancel();
        throw error;
      });
      if (task === undefined || isFinished(task.status)) {
        ended.cancel();
        if (task !== undefined) return task;
        throw taskNotFound(uid);
      }
      await ended.promise;
    }
  }

  /** A page of batches. */
  async listBatches(filter: TaskFilter = {}): Promise<Page<Batch>> {
    const page = await this.#store.batches(checkedTaskFilter(filter));
    return { ...page, results: page.results.map((batch) => batchView(batch, this.#progress())) };
  }

  /** The batch of a uid; `undefined` when there is none, or no more. */
  async getBatch(uid: number): Promise<Batch | undefined> {
    const batch = await this.#store.batch(checkedUid(uid, 'invalid_batch_uids'));
    return batch === undefined ? undefined : batchView(batch, this.#progress());
  }

  /** How far the running batch is, if a task is in it. */
  progressOf(uid: number): BatchProgress | undefined {
    const running = this.#running();
    return running?.taskUids.includes(uid) === true ? running.progress.view() : undefined;
  }

  /** Numbers of tasks by status, type and index. */
  counts(): Promise<TaskCounts> {
    return this.#store.taskCounts();
  }

  /** Bytes that the queue takes, and that it may still take: of its disk, and of its limit. */
  async space(): Promise<{ used: number; free: number }> {
    const [{ used }, disk] = await Promise.all([this.#store.sizes(), statfs(this.#folder)]);
    const allowed = Math.max(0, this.#room.limit - used);
    return { used, free: Math.min(allowed, disk.bavail * disk.bsize) };
  }

  /** Enqueues the canceling of the tasks that match now; what `originalFilter` says is shown. */
  async cancel(filter: TaskFilter, originalFilter?: string): Promise<TaskSummary> {
    return this.#select('taskCancelation', filter, originalFilter);
  }

  /** Enqueues the forgetting of the tasks that match now; what `originalFilter` says is shown. */
  async delete(filter: TaskFilter, originalFilter?: string): Promise<TaskSummary> {
    return this.#select('taskDeletion', filter, originalFilter);
  }

  /** The file or text of the documents of a task that has not ended. @internal */
  async payload(uid: number): Promise<{ file: string } | { inline: string } | undefined> {
    const [task] = await this.#store.runnableTasks([uid]);
    const content = task?.content as TaskContent | null | undefined;
    if (content?.type !== 'documentAdditionOrUpdate') return undefined;
    const where = content.payload.content;
    return 'file' in where ? where : { inline: task?.payload ?? '' };
  }

  /**
   * Gives the space of forgotten tasks back, in bytes before and after. Writes wait meanwhile, and
   * are refused afterwards until the next start.
   */
  async compact(): Promise<{ before: number; after: number }> {
    await this.#compacting;
    this.requireOpen();
    const compaction = this.#store.compact();
    this.#compacting = compaction.then(
      () => {
        this.#mustRestart = true;
      },
      () => undefined,
    );
    await this.#compacting;
    return compaction;
  }

  /** Fails those who wait for tasks: no batch will be run any more. @internal */
  close(): void {
    this.#isClosed = true;
    for (const fail of [...this.#waiting]) fail(instanceClosed());
  }

  async #select(
    type: 'taskCancelation' | 'taskDeletion',
    filter: TaskFilter,
    originalFilter: string | undefined,
  ): Promise<TaskSummary> {
    const criteria = criteriaOf(checkedTaskFilter(filter));
    const tasks = await this.#store.matchingTasks(criteria);
    return this.enqueue({ type, tasks, originalFilter: originalFilter ?? queryOf(criteria) });
  }

  /**
   * Lets tasks into the queue strictly by uid. Answers of one commit may arrive in any order, and
   * a later write of an index must not be run before an earlier one.
   */
  #admit(task: QueuedTask, row: StoredTask): void {
    this.#early.set(task.uid, { task, row });
    const tasks: StoredTask[] = [];
    for (;;) {
      const next = this.#early.get(this.#nextUid);
      if (next === undefined) break;
      this.#early.delete(next.task.uid);
      this.#pending.add(next.task);
      tasks.push(next.row);
      this.#nextUid += 1;
    }
    if (tasks.length === 0) return;
    const taskUids = tasks.map(({ uid }) => uid);
    this.events.emit({ kind: 'enqueued', batchUid: undefined, taskUids, tasks });
  }

  #abortIfCanceled(draft: TaskDraft): void {
    if (draft.type !== 'taskCancelation') return;
    const running = this.#running();
    if (running?.taskUids.some((uid) => holdsUid(draft.tasks, uid)) === true) running.abort();
  }

  #progress() {
    return this.#running()?.progress.view() ?? null;
  }

  /** Resolves when a batch that holds the task ends. */
  #nextEnd(uid: number, signals: readonly AbortSignal[]) {
    let cancel: () => void = () => undefined;
    const promise = new Promise<void>((resolve, reject) => {
      const unsubscribe = this.events.subscribe(({ kind, taskUids }) => {
        if (kind !== 'ended' || !taskUids.includes(uid)) return;
        cancel();
        resolve();
      });
      const fail = (reason: unknown) => {
        cancel();
        reject(reason);
      };
      const abort = () => fail(signals.find(({ aborted }) => aborted)?.reason);
      const listening = signals.map((signal) => whenAborted(signal, abort));
      cancel = () => {
        unsubscribe();
        this.#waiting.delete(fail);
        for (const stop of listening) stop();
      };
      this.#waiting.add(fail);
      if (this.#isClosed) fail(instanceClosed());
      if (signals.some(({ aborted }) => aborted)) abort();
    });
    promise.catch(() => undefined);
    return { promise, cancel: () => cancel() };
  }
}

function isFullDisk(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'no_space_left_on_device';
}

/** Removes the file of documents that will not be added. */
async function removePayload(draft: TaskDraft): Promise<void> {
  if (draft.type !== 'documentAdditionOrUpdate') return;
  const { content } = draft.payload;
  if ('file' in content) await rm(content.file, { force: true }).catch(() => undefined);
}

/** The draft as it is stored: an inline payload apart, a payload file by its name. */
function stored(draft: TaskDraft): { content: TaskContent; payload: string | null } {
  if (draft.type !== 'documentAdditionOrUpdate') return { content: draft, payload: null };
  const { documents, content: where } = draft.payload;
  const inline = 'inline' in where;
  const payloadBytes = inline ? Buffer.byteLength(where.inline) : (draft.payload.bytes ?? 0);
  const content = inline ? { inline: '' } : { ...where, file: basename(where.file) };
  return {
    content: { ...draft, payload: { documents, content }, payloadBytes },
    payload: inline ? where.inline : null,
  };
}
