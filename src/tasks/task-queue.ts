import { statfs } from 'node:fs/promises';
import { ApiError } from '../errors/api-error.js';
import { instanceClosed } from '../errors/instance-closed.js';
import type { Store } from '../native/store.js';
import type { PendingQueue } from './pending-queue.js';
import type { QueueRoom } from './queue-room.js';
import { mentionsOf, queuedDraft, queuedTask, type TaskContent } from './queued-task.js';
import type { RunningBatch } from './running-batch.js';
import { removePayload, settingsTexts, storedDraft } from './stored-draft.js';
import type { Batch, BatchProgress, IndexUpdate, Page, Task, TaskSummary } from './task.js';
import { TaskAdmission } from './task-admission.js';
import type { TaskCounts } from './task-counts.js';
import { isPartialImport, pendingDetails } from './task-details.js';
import type { TaskDraft } from './task-draft.js';
import type { TaskEvents } from './task-events.js';
import { criteriaOf, queryOf, type TaskFilter } from './task-filter.js';
import { checkedTaskFilter, checkedUid } from './task-filter-check.js';
import { batchPageView, batchView, summaryView, taskPageView, taskView } from './task-view.js';
import { TaskWaiting, type WaitLimits } from './task-waiting.js';
import { holdsUid } from './uid-ranges.js';

/** How many waiting tasks are read at once at the most when a data folder is opened. */
const PAGE_OF_PENDING = 10_000;

const MUST_RESTART =
  'The task queue was compacted; you must restart your instance before it takes writes again.';

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

/** A page of batches as it is stored, and how far the running one is. @internal */
export interface LongBatchPage {
  readonly json: Buffer;
  readonly progress: BatchProgress | null;
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
  readonly #admission: TaskAdmission;
  readonly #waiting: TaskWaiting;
  #compacting: Promise<void> | undefined;
  #mustRestart = false;

  /** @internal */
  constructor({ store, pending, events, running, room, folder }: TaskQueueParts) {
    this.#folder = folder;
    this.#room = room;
    this.events = events;
    this.#store = store;
    this.#pending = pending;
    this.#running = running;
    this.#admission = new TaskAdmission(pending, events);
    this.#waiting = new TaskWaiting(events);
  }

  /** Whether writes are refused until the next start. */
  get mustRestart(): boolean {
    return this.#mustRestart;
  }

  /** The uid after the last task that was let in. */
  get nextUid(): number {
    return this.#admission.nextUid;
  }

  /** Reads the tasks that wait from the store. @internal */
  async load(): Promise<void> {
    this.#admission.startAt(await this.#store.nextTaskUid());
    for await (const page of this.#store.queuedPages(PAGE_OF_PENDING)) {
      for (const stored of page) this.#pending.add(queuedTask(stored));
    }
  }

  /** Throws when writes are refused until the next start. @internal */
  requireOpen(): void {
    if (this.#waiting.isClosed) throw instanceClosed();
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
    const { content, payload } = storedDraft(draft);
    const texts = draft.type === 'settingsUpdate' ? settingsTexts(draft) : undefined;
    const task = {
      type: draft.type,
      indexUid: 'indexUid' in draft ? draft.indexUid : null,
      mentions: mentionsOf(draft),
      details: pendingDetails(draft),
      content,
      customMetadata: 'customMetadata' in draft ? draft.customMetadata : undefined,
      texts,
    };
    const enqueued = await this.#store.enqueue(task, payload).catch(async (error) => {
      // After any other failure the row might be there all the same when the store is opened next.
      if (isFullDisk(error)) await removePayload(draft);
      throw error;
    });
    const queued = queuedDraft(enqueued.uid, content, { text: texts?.content });
    this.#admission.admit(queued, enqueued, () => this.#abortIfCanceled(draft));
    return summaryView(enqueued);
  }

  /** A page of tasks, the newest first unless asked otherwise. */
  async list(filter: TaskFilter = {}): Promise<Page<Task>> {
    return taskPageView(await this.#store.tasks(checkedTaskFilter(filter)));
  }

  /** The same page; of a long one the JSON of what is stored, for another thread. @internal */
  async page(filter: TaskFilter): Promise<Page<Task> | Buffer> {
    const page = await this.#store.tasksJson(checkedTaskFilter(filter));
    return typeof page === 'string' ? taskPageView(JSON.parse(page)) : page;
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
  waitFor(uid: number, options: WaitLimits = {}): Promise<Task> {
    return this.#waiting.waitFor(uid, () => this.get(uid), options);
  }

  /** A page of batches. */
  async listBatches(filter: TaskFilter = {}): Promise<Page<Batch>> {
    const page = await this.#store.batches(checkedTaskFilter(filter));
    return batchPageView(page, this.#progress());
  }

  /**
   * The same page; of a long one the JSON of what is stored, for another thread, and how far the
   * running batch is. @internal
   */
  async batchPage(filter: TaskFilter): Promise<Page<Batch> | LongBatchPage> {
    const page = await this.#store.batchesJson(checkedTaskFilter(filter));
    const progress = this.#progress();
    return typeof page === 'string'
      ? batchPageView(JSON.parse(page), progress)
      : { json: page, progress };
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
    this.#waiting.close();
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

  /** Stops the running batch for a cancelation that goes next: any sooner, it would only run again. */
  #abortIfCanceled(draft: TaskDraft): void {
    if (draft.type !== 'taskCancelation') return;
    const running = this.#running();
    if (running?.taskUids.some((uid) => holdsUid(draft.tasks, uid)) === true) running.abort();
  }

  #progress() {
    return this.#running()?.progress.view() ?? null;
  }
}

function isFullDisk(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'no_space_left_on_device';
}
