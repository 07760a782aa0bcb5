import {
  NativeStore,
  allRecords as nativeAllRecords,
  compactStore as nativeCompactStore,
  copyStore as nativeCopyStore,
  importRows as nativeImportRows,
} from '../../native/binding.cjs';
import { instanceClosed } from '../errors/instance-closed.js';
import type { Archive } from './archive.js';
import { type JsonText, textOf } from './json-text.js';
import { unwrap } from './unwrap.js';

/** Ascending closed ranges of uids. */
export type UidRanges = ReadonlyArray<readonly [first: number, last: number]>;

/** A task as the store gives it back. */
export interface StoredTask {
  uid: number;
  batchUid: number | null;
  indexUid: string | null;
  status: string;
  type: string;
  canceledBy: number | null;
  details?: Record<string, unknown>;
  error: { code: string; message: string } | null;
  duration: string | null;
  enqueuedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  network?: Record<string, unknown>;
  customMetadata?: string;
}

/** A batch as the store gives it back; `progress` is always null there. */
export interface StoredBatch {
  uid: number;
  progress: null;
  details: Record<string, unknown>;
  stats: Record<string, unknown>;
  duration: string | null;
  startedAt: string;
  finishedAt: string | null;
  batchStrategy: string;
}

/** One page of tasks or batches. */
export interface StoredPage<T> {
  results: T[];
  total: number;
  limit: number;
  from: number | null;
  next: number | null;
}

/** A task to enqueue. */
export interface NewTask {
  type: string;
  indexUid: string | null;
  mentions: string[];
  details: Record<string, unknown> | undefined;
  content: unknown;
  customMetadata: string | undefined;
  /** The JSON of `details` and `content`, where it was written already. */
  texts?: TaskTexts | undefined;
}

/** Parts of a task as JSON. Bytes of details are on disk with the task, but known to nobody else. */
export interface TaskTexts {
  readonly details: JsonText;
  readonly content: string;
}

/** What the scheduler needs to know of a task that waits. */
export interface StoredQueuedTask {
  uid: number;
  type: string;
  indexUid: string | null;
  content: unknown;
}

/** What is needed to run a task. */
export interface RunnableTask {
  uid: number;
  content: unknown;
  /** Null for changes of settings, too: their details may be long, and stay. */
  details: Record<string, unknown> | null;
  payload: string | null;
}

/** What is needed to end a task. */
export type EndableTask = Pick<RunnableTask, 'uid' | 'details'>;

/** How one task ended. */
export interface TaskOutcome {
  uid: number;
  status: 'succeeded' | 'failed' | 'canceled';
  details?: Record<string, unknown> | undefined;
  error?: { code: string; message: string } | undefined;
  canceledBy?: number | undefined;
}

/** A change of the index registry. */
export type RegistryChange =
  | { op: 'create'; uid: string; directory: string; primaryKey: string | null }
  | { op: 'touch'; uid: string; primaryKey: string | null }
  | { op: 'delete'; uid: string }
  | { op: 'rename'; from: string; to: string; beforeTask: number }
  | { op: 'swap'; a: string; b: string; beforeTask: number };

/** The running batch, as it is laid over the answers. */
export interface CurrentBatch {
  uid: number;
  startedAt: string;
  tasks: number[];
  details: Record<string, unknown>;
  stats: Record<string, unknown>;
  strategy: string;
}

/** Everything a batch leaves behind. */
export interface FinishedBatch {
  uid: number;
  startedAt: string;
  details: Record<string, unknown>;
  /** Members behind those of `details`, by name, and the task whose details have each. */
  takenDetails: (readonly [name: string, uid: number])[];
  stats: Record<string, unknown>;
  strategy: string;
  tasks: TaskOutcome[];
  registry: RegistryChange[];
  forgottenTasks?: UidRanges | undefined;
}

/** One index of the registry. */
export interface IndexRow {
  uid: string;
  directory: string;
  createdAt: string;
  updatedAt: string;
  primaryKey: string | null;
}

/** One keyed value. */
export interface StoredRecord {
  namespace: string;
  key: string;
  value: unknown;
}

/** Rows of another store, in the shapes it gives them back in. */
export interface ImportedRows {
  tasks?: readonly ImportedTask[];
  batches?: readonly Omit<StoredBatch, 'progress' | 'duration'>[];
  indexes?: readonly IndexRow[];
}

/** A task of another store; `mentions` are all indexes it is found under. */
export type ImportedTask = Omit<StoredTask, 'duration'> & {
  mentions: readonly string[];
  content?: unknown;
  payload?: string | null;
};

/** Tasks to end that are read at once. */
const PAGE_OF_ENDABLE = 1000;

/** The durable store of a data folder: every answered write is on disk. */
export class Store {
  readonly #native: NativeStore;
  #isClosed = false;

  private constructor(native: NativeStore) {
    this.#native = native;
  }

  /** Opens or creates the store of a folder; refused while another process holds it. */
  static async open(folder: string): Promise<Store> {
    return new Store(unwrap(await NativeStore.open(folder)));
  }

  /** Adds a task; resolves once it is on disk. */
  async enqueue(task: NewTask, payload: string | null): Promise<StoredTask> {
    const { details, texts } = task;
    const bytes = typeof texts?.details === 'object' ? texts.details : null;
    const stored = JSON.parse(unwrap(await this.#open.enqueue(taskText(task), payload, bytes)));
    // They may be as long as the body of the request: they do not come back.
    return details === undefined ? stored : { ...stored, details };
  }

  async task(uid: number): Promise<StoredTask | undefined> {
    return JSON.parse(unwrap(await this.#open.task(uid))) ?? undefined;
  }

  /** A page of the tasks that match; one that would be too long for one text ends early. */
  async tasks(filter: object): Promise<StoredPage<StoredTask>> {
    return JSON.parse(textOf(await this.tasksJson(filter)));
  }

  /** The same page as JSON. */
  async tasksJson(filter: object): Promise<JsonText> {
    return unwrap(await this.#open.tasks(JSON.stringify(filter)));
  }

  /** Lets the failed tasks of a type wait again, as if they had never been run. */
  async reopenFailed(type: string): Promise<number> {
    return unwrap(await this.#open.reopenFailed(type));
  }

  /** Uids of all tasks that match, whatever the page asked for. */
  async matchingTasks(filter: object): Promise<UidRanges> {
    return JSON.parse(unwrap(await this.#open.matchingTasks(JSON.stringify(filter))));
  }

  /** Tasks that wait, oldest first, in pages of so many at the most, fewer where they are large. */
  async *queuedPages(limit: number): AsyncGenerator<StoredQueuedTask[]> {
    for (let after: number | null = null; ; ) {
      const text: string = unwrap(await this.#open.queuedTasks(after, limit));
      const page: StoredQueuedTask[] = JSON.parse(text);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last.uid;
    }
  }

  /** What is needed to run tasks, as one text: the caller bounds how much that can be. */
  async runnableTasks(uids: number[]): Promise<RunnableTask[]> {
    return JSON.parse(unwrap(await this.#open.runnableTasks(uids)));
  }

  /** What is needed to end tasks, any number of them, by uid. */
  async endableTasks(uids: readonly number[]): Promise<EndableTask[]> {
    const tasks: EndableTask[] = [];
    for (let at = 0; at < uids.length; at += PAGE_OF_ENDABLE) {
      const page = uids.slice(at, at + PAGE_OF_ENDABLE);
      tasks.push(...JSON.parse(unwrap(await this.#open.endableTasks(page))));
    }
    return tasks;
  }

  /** The tasks that match, page by page: pages of large tasks are shorter than asked for. */
  async *allTasks(filter: object): AsyncGenerator<StoredTask> {
    let next: number | null | undefined;
    do {
      const page = await this.tasks({ ...filter, from: next });
      yield* page.results;
      next = page.next;
    } while (next !== null);
  }

  /** The uid that the next task will get; every lower one was given away. */
  async nextTaskUid(): Promise<number> {
    return unwrap(await this.#open.nextTaskUid());
  }

  /** Numbers of tasks by status, type and index. */
  async taskCounts(): Promise<{
    statuses: Record<string, number>;
    types: Record<string, number>;
    indexes: Record<string, number>;
  }> {
    return JSON.parse(unwrap(await this.#open.taskCounts()));
  }

  async countTasks(): Promise<number> {
    return unwrap(await this.#open.countTasks());
  }

  /** Uid and start of the batch that would run next; nothing is stored. */
  async nextBatch(): Promise<{ uid: number; startedAt: string }> {
    return JSON.parse(unwrap(await this.#open.nextBatch()));
  }

  /**
   * Lays the running batch over the answers, or takes it away. Does nothing once the store is closed:
   * a batch may end after that.
   */
  setCurrentBatch(batch: CurrentBatch | null): void {
    if (this.#isClosed) return;
    unwrap(this.#native.setCurrentBatch(batch === null ? null : JSON.stringify(batch)));
  }

  /** Ends a batch in one transaction. */
  async finishBatch(batch: FinishedBatch): Promise<{ uid: number; finishedAt: string }> {
    return JSON.parse(unwrap(await this.#open.finishBatch(JSON.stringify(batch))));
  }

  async batch(uid: number): Promise<StoredBatch | undefined> {
    return JSON.parse(unwrap(await this.#open.batch(uid))) ?? undefined;
  }

  /** A page of the batches that match; one that would be too long for one text ends early. */
  async batches(filter: object): Promise<StoredPage<StoredBatch>> {
    return JSON.parse(textOf(await this.batchesJson(filter)));
  }

  /** The same page as JSON. */
  async batchesJson(filter: object): Promise<JsonText> {
    return unwrap(await this.#open.batches(JSON.stringify(filter)));
  }

  async indexes(): Promise<IndexRow[]> {
    return JSON.parse(unwrap(await this.#open.indexes()));
  }

  /** The value under a key of a namespace. */
  async record(namespace: string, key: string): Promise<unknown> {
    const json = unwrap(await this.#open.record(namespace, key));
    return json === null ? undefined : JSON.parse(json);
  }

  /** All keys of a namespace with their values, by key. */
  async records(namespace: string): Promise<[key: string, value: unknown][]> {
    return JSON.parse(unwrap(await this.#open.records(namespace)));
  }

  async putRecord(namespace: string, key: string, value: unknown): Promise<void> {
    await this.putRecords(namespace, [[key, value]]);
  }

  /** Stores values under their keys: all of them or none. */
  async putRecords(
    namespace: string,
    records: readonly (readonly [key: string, value: unknown])[],
  ): Promise<void> {
    unwrap(await this.#open.putRecords(namespace, JSON.stringify(records)));
  }

  /** Removes a key; false when it was not there. */
  async deleteRecord(namespace: string, key: string): Promise<boolean> {
    return unwrap(await this.#open.deleteRecord(namespace, key));
  }

  /** Bytes of the database, with and without its free pages. */
  async sizes(): Promise<{ total: number; used: number }> {
    return JSON.parse(unwrap(await this.#open.sizes()));
  }

  /** Adds the tasks with uids below `before` to an archive, one JSON object a line. */
  async addTasksTo(archive: Archive, path: string, before: number): Promise<void> {
    unwrap(await archive.native.addTasks(path, this.#open, before));
  }

  /** Adds the ended batches to an archive, one JSON object a line. */
  async addBatchesTo(archive: Archive, path: string): Promise<void> {
    unwrap(await archive.native.addBatches(path, this.#native));
  }

  /** Every keyed value, by namespace and key. */
  async allRecords(): Promise<StoredRecord[]> {
    return JSON.parse(unwrap(await nativeAllRecords(this.#open)));
  }

  /** Writes a copy, as of now, to a file that does not exist; waiting snapshots are left out. */
  async copyTo(file: string): Promise<void> {
    unwrap(await nativeCopyStore(this.#open, file));
  }

  /** Gives the space of removed rows back; bytes before and after. Writes wait meanwhile. */
  async compact(): Promise<{ before: number; after: number }> {
    return JSON.parse(unwrap(await nativeCompactStore(this.#open)));
  }

  /** Puts rows of another store into this one, which was just made; later uids come after them. */
  async importRows(rows: ImportedRows): Promise<void> {
    unwrap(await nativeImportRows(this.#open, JSON.stringify(rows)));
  }

  /** Waits for the calls already made, then frees the files and the lock. */
  async close(): Promise<void> {
    this.#isClosed = true;
    unwrap(await this.#native.close());
  }

  get #open(): NativeStore {
    if (this.#isClosed) throw instanceClosed();
    return this.#native;
  }
}

function taskText({ texts, ...task }: NewTask): string {
  if (texts === undefined) return JSON.stringify(task);
  const { details, content } = texts;
  const rest = JSON.stringify({ ...task, details: undefined, content: undefined });
  const shown = typeof details === 'string' ? `,"details":${details}` : '';
  return `${rest.slice(0, -1)}${shown},"content":${content}}`;
}
