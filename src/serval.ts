import { join, resolve } from 'node:path';
import { ApiKeys } from './auth/api-keys.js';
import { KeyStore } from './auth/key-store.js';
import { dumpRunner } from './backup/dump-task.js';
import { SnapshotSchedule } from './backup/snapshot-schedule.js';
import { snapshotName, snapshotRunner } from './backup/snapshot-task.js';
import { type ImportSource, prepareDataFolder } from './backup/start-import.js';
import { WorkspaceStore } from './chats/workspace-store.js';
import { PRODUCT_VERSION } from './config/product.js';
import { PayloadReader } from './documents/payload-reader.js';
import { abortable } from './embedded/abortable.js';
import type { LongOptions } from './embedded/document-types.js';
import { type EnqueuedTask, enqueueAndWait, type WaitOptions } from './embedded/enqueued-task.js';
import { Index } from './embedded/index-handle.js';
import type { SearchParts } from './embedded/search-parts.js';
import type {
  DocumentOf,
  FederatedResponse,
  Federation,
  IndexQuery,
  MultiSearchResponse,
} from './embedded/search-types.js';
import { searchEach, searchTogether } from './embedded/several-searches.js';
import { makeTemporaryFolder } from './embedded/temporary-folder.js';
import { type EmbedderOptions, Embedders } from './embedders/embedders.js';
import { exportRunner } from './export/export-task.js';
import { sendingBy } from './export/outgoing-request.js';
import type { Feature } from './features/feature.js';
import { StoredFeatures } from './features/stored-features.js';
import { DataFolder } from './indexes/data-folder.js';
import { IndexRegistry } from './indexes/index-registry.js';
import { UsageCounters } from './metrics/usage-counters.js';
import { removeAbandonedArchives } from './native/archive.js';
import { degradedSearches, type EngineOptions, openNativeEngine } from './native/engine.js';
import type { Engine } from './native/engine-index.js';
import type { RuleBudgets } from './native/search-rules.js';
import { Store } from './native/store.js';
import { NetworkStore } from './network/network-store.js';
import { RemoteSearcher } from './network/remote-searcher.js';
import { Personalizer, type PersonalizerOptions } from './personalization/personalizer.js';
import { RuleStore } from './search-rules/rule-store.js';
import type { TaskRunners } from './tasks/batch-context.js';
import type { BatchLimits } from './tasks/next-batch.js';
import { PendingQueue } from './tasks/pending-queue.js';
import { QueueChanges } from './tasks/queue-changes.js';
import { finishCommittedBatches, removeLeftovers } from './tasks/recovery.js';
import { Retention, type RetentionLimits } from './tasks/retention.js';
import { Scheduler } from './tasks/scheduler.js';
import type { Task } from './tasks/task.js';
import type { TaskDraft } from './tasks/task-draft.js';
import { TaskEvents } from './tasks/task-events.js';
import { TaskQueue } from './tasks/task-queue.js';

/** How an instance is opened. */
export interface ServalOptions {
  /** Bytes that indexing may use. */
  maxIndexingMemory?: number;
  /** Threads that turn the documents of a batch into words and columns; one when absent. */
  maxIndexingThreads?: number;
  /** Bytes that searching may use. */
  maxSearchMemory?: number;
  /** Tasks of one batch at most; 0 keeps the queue from being worked on. */
  maxBatchedTasks?: number;
  /** Payload bytes of one batch at most. */
  maxBatchBytes?: number;
  /** Experimental features that are on from the start, whatever was switched before. */
  features?: readonly Feature[];
  /** How much of the history of tasks is kept. */
  retention?: RetentionLimits;
  /** Where dumps are put; `dumps` inside of the data folder when absent. */
  dumpFolder?: string;
  /** Where snapshots are put; `snapshots` inside of the data folder when absent. */
  snapshotFolder?: string;
  /** Seconds between snapshots that are made without being asked for. */
  snapshotEverySeconds?: number;
  /** What a new data folder is filled from. */
  importFrom?: ImportSource;
  /** Bytes of one request of an export at the most, when the export does not say. */
  exportPayloadBytes?: number;
  /**
   * Sends the requests to other servers: embedders, remotes, those of exports. The `fetch` of the platform
   * when absent, which reaches every address.
   */
  fetch?: typeof fetch;
  /** How embedders are run. */
  embedders?: EmbedderOptions;
  /** The service that orders hits by the taste of users; without it none are. @internal */
  personalization?: Pick<PersonalizerOptions, 'apiKey' | 'url'>;
  /** Milliseconds in which other servers of the network must answer a search. @internal */
  remoteSearchTimeoutMs?: number;
  /** How much of the dynamic search rules a search looks at. @internal */
  searchRuleBudgets?: RuleBudgets;
  /** Aborted while the instance opens, it is closed again. */
  signal?: AbortSignal;
  /** The engine that indexes and searches; the native one when absent. @internal */
  engine?: Engine;
}

/** Opened as a path, it stands for an instance in memory. */
const IN_MEMORY = ':memory:';

/** Payload bytes of one batch when nothing is said. */
const DEFAULT_BATCH_BYTES = 10 * 2 ** 30;

interface Parts {
  readonly store: Store;
  readonly engine: Engine;
  readonly folder: DataFolder;
  readonly indexes: IndexRegistry;
  readonly tasks: TaskQueue;
  readonly scheduler: Scheduler;
  readonly features: StoredFeatures;
  readonly keys: KeyStore;
  readonly network: NetworkStore;
  readonly rules: RuleStore;
  readonly chats: WorkspaceStore;
  readonly snapshots: SnapshotSchedule | undefined;
  readonly embedders: Embedders;
  readonly remotes: RemoteSearcher;
  readonly personalizer: Personalizer | undefined;
  readonly changes: QueueChanges;
  readonly folders: BackupFolders;
}

/**
 * An open data folder: the whole product without HTTP. One instance owns a folder; several may be
 * open on different ones, also in worker threads.
 *
 * @example
 * ```ts
 * await using instance = await Serval.open(':memory:');
 * const books = instance.index<{ id: number; title: string }>('books');
 * await (await books.addDocuments([{ id: 1, title: 'Dune' }])).wait();
 * console.log((await books.search('dun')).hits); // [ { id: 1, title: 'Dune' } ]
 * ```
 */
export class Serval implements AsyncDisposable {
  /** The queue of writes, and its history. */
  readonly tasks: TaskQueue;
  /** What happens in the queue, as it happens. @internal */
  readonly changes: QueueChanges;
  /** The indexes that there are. */
  readonly indexes: IndexRegistry;
  /** @internal */
  readonly payloads: PayloadReader;
  /** Experimental features, and which of them are on. */
  readonly features: StoredFeatures;
  /** The API keys of the server; the embedded interface does not ask for any. @internal */
  readonly keys: KeyStore;
  /** What is counted while the instance is open. @internal */
  readonly usage = new UsageCounters(degradedSearches);
  /** The servers that this one may ask. @internal */
  readonly network: NetworkStore;
  /** The dynamic search rules; tasks change them. @internal */
  readonly rules: RuleStore;
  /** The workspaces of chats. @internal */
  readonly chats: WorkspaceStore;
  /** Makes vectors of documents and queries. @internal */
  readonly embedders: Embedders;
  /** Asks the other servers of the network. @internal */
  readonly remotes: RemoteSearcher;
  /** Orders hits by the taste of users, where there is a service for it. @internal */
  readonly personalizer: Personalizer | undefined;
  /** Durable records of other parts: webhooks. @internal */
  readonly store: Store;
  /** @internal */
  readonly folder: DataFolder;
  /** What searches need. @internal */
  readonly searching: SearchParts;
  readonly #parts: Parts;
  #closed: Promise<void> | undefined;
  #removeFolder: () => void = () => undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.store = parts.store;
    this.folder = parts.folder;
    this.tasks = parts.tasks;
    this.changes = parts.changes;
    this.indexes = parts.indexes;
    this.features = parts.features;
    this.keys = parts.keys;
    this.network = parts.network;
    this.rules = parts.rules;
    this.chats = parts.chats;
    this.embedders = parts.embedders;
    this.remotes = parts.remotes;
    this.personalizer = parts.personalizer;
    this.payloads = new PayloadReader(parts.folder);
    const { indexes, features, rules, embedders: queryEmbedder } = parts;
    this.searching = { indexes, features, rules, queryEmbedder };
  }

  /**
   * Opens or creates a data folder, finishes what a crash interrupted, starts on the queue.
   * `:memory:` is `Serval.memory`.
   */
  static async open(path: string, options: ServalOptions = {}): Promise<Serval> {
    if (path === IN_MEMORY) return Serval.memory(options);
    const { signal } = options;
    signal?.throwIfAborted();
    const opened = await Serval.#open(path, options);
    if (signal?.aborted !== true) return opened;
    await opened.close();
    throw signal.reason;
  }

  /**
   * An instance for tests and for what need not last: its folder is a temporary one, in memory
   * where the system has room for it, and goes when it is closed or the process exits.
   */
  static async memory(options: ServalOptions = {}): Promise<Serval> {
    const { path, remove } = makeTemporaryFolder();
    try {
      const opened = await Serval.open(path, options);
      opened.#removeFolder = remove;
      return opened;
    } catch (error) {
      remove();
      throw error;
    }
  }

  static async #open(path: string, options: ServalOptions): Promise<Serval> {
    const folder = new DataFolder(path);
    const { fetch: send } = options;
    const sending = send === undefined ? {} : { fetch: send };
    const embedders = new Embedders({ ...sending, ...embedderOptions(folder, options) });
    const engine = options.engine ?? openNativeEngine(engineOptions(options, embedders));
    await prepareDataFolder(folder.path, options.importFrom, engine);
    const store = await Store.open(folder.path);
    try {
      return await Serval.#assemble(folder, store, { engine, embedders }, options);
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  static async #assemble(
    folder: DataFolder,
    store: Store,
    { engine, embedders }: Pick<Parts, 'engine' | 'embedders'>,
    options: ServalOptions,
  ): Promise<Serval> {
    await folder.prepare(PRODUCT_VERSION);
    const registry = new IndexRegistry(store, folder, engine);
    const pending = new PendingQueue();
    const events = new TaskEvents();
    const limits = limitsOf(options);
    const rules = await RuleStore.load(store, options.searchRuleBudgets);
    const features = await StoredFeatures.load(store, options.features);
    const folders = backupFolders(folder, options);
    const runners = runnersOf(folders, features, options);
    const parts = { store, registry, folder, pending, rules, events, limits, runners };
    const scheduler = new Scheduler(parts);
    const running = () => scheduler.running;
    const tasks = new TaskQueue({ store, pending, events, running, folder: folder.path });
    await registry.load();
    await tasks.load();
    const recovery = { store, registry, pending, scheduler, folder };
    await finishCommittedBatches(recovery);
    await removeLeftovers(recovery);
    for (const one of Object.values(folders)) await removeAbandonedArchives(one);
    const keys = await KeyStore.load(store);
    const network = await NetworkStore.load(store);
    const chats = await WorkspaceStore.load(store);
    const retention = new Retention(store, tasks, options.retention);
    scheduler.start(() => retention.check(tasks.nextUid));
    const asking = { embedders, ...askingOthers(network, options) };
    const stored = { features, keys, network, rules, chats, ...asking };
    const snapshots = scheduleOf(tasks, options);
    snapshots?.start();
    const changes = new QueueChanges(tasks, running);
    const work = { tasks, scheduler, snapshots, changes, folders };
    return new Serval({ store, engine, folder, indexes: registry, ...stored, ...work });
  }

  /** An index by its uid; nothing is created or checked yet. */
  index<T extends object = Record<string, unknown>>(uid: string): Index<T> {
    return new Index<T>(uid, this);
  }

  /**
   * Answers several searches, side by side.
   *
   * @example
   * ```ts
   * const { results } = await db.multiSearch([
   *   movies.query('godfather', { limit: 1 }),
   *   movies.query('rush', { limit: 1 }),
   * ]);
   * console.log(results.map(({ hits }) => hits[0]?.title)); // [ 'The Godfather', 'The Gold Rush' ]
   * ```
   */
  async multiSearch<const Queries extends readonly IndexQuery[]>(
    queries: Queries,
    options: LongOptions = {},
  ): Promise<MultiSearchResponse<Queries>> {
    return abortable(() => searchEach(queries, this.searching), options.signal);
  }

  /** Answers several searches with one list of hits, the best of all of them first. */
  async federatedSearch<const Queries extends readonly IndexQuery[]>(
    queries: Queries,
    federation: Federation & LongOptions = {},
  ): Promise<FederatedResponse<DocumentOf<Queries[number]>>> {
    const { signal, ...rest } = federation;
    return abortable(() => searchTogether(queries, rest, this.searching), signal);
  }

  /** The API keys of a server on this folder that has this master key. */
  apiKeys(masterKey: string): ApiKeys {
    return new ApiKeys(masterKey, this.keys);
  }

  /** Exchanges the names of pairs of indexes, all or none. */
  swapIndexes(pairs: readonly (readonly [string, string])[]): Promise<EnqueuedTask> {
    const swaps = pairs.map((indexes) => ({ indexes, rename: false }));
    return this.enqueue({ type: 'indexSwap', swaps });
  }

  /** Makes a dump: a portable copy of everything, as a file of its own. */
  createDump(): Promise<EnqueuedTask> {
    return this.enqueue({ type: 'dumpCreation' });
  }

  /** Makes a snapshot: an exact copy for this version, in place of the one before. */
  createSnapshot(): Promise<EnqueuedTask> {
    return this.enqueue({ type: 'snapshotCreation' });
  }

  /** Makes a dump and resolves to the path of its file. */
  async dump(options: WaitOptions = {}): Promise<string> {
    const { details } = await finished(await this.createDump(), options);
    return join(this.#parts.folders.dumps, `${details?.dumpUid}.dump`);
  }

  /** Makes a snapshot and resolves to the path of its file. */
  async snapshot(options: WaitOptions = {}): Promise<string> {
    await finished(await this.createSnapshot(), options);
    return join(this.#parts.folders.snapshots, snapshotName(this.folder.path));
  }

  /** Enqueues any write. @internal */
  enqueue(draft: TaskDraft): Promise<EnqueuedTask> {
    return enqueueAndWait(this.tasks, draft);
  }

  /** Lets the running batch end, then frees files and threads. May be called again. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { scheduler, indexes, engine, store, snapshots, changes, embedders } = this.#parts;
    snapshots?.stop();
    changes.end();
    await scheduler.stop();
    embedders.close();
    await indexes.close();
    await engine.close();
    await store.close();
    this.#removeFolder();
  }
}

/** A task as it ended; who gives up on it cancels it. */
async function finished(task: EnqueuedTask, options: WaitOptions): Promise<Task> {
  try {
    return await task.wait(options);
  } catch (error) {
    if (options.signal?.aborted === true) await task.cancel();
    throw error;
  }
}

interface BackupFolders {
  readonly dumps: string;
  readonly snapshots: string;
}

function backupFolders(folder: DataFolder, options: ServalOptions): BackupFolders {
  return {
    dumps: resolve(options.dumpFolder ?? join(folder.path, 'dumps')),
    snapshots: resolve(options.snapshotFolder ?? join(folder.path, 'snapshots')),
  };
}

/** What carries out the tasks that are not about one index. */
function runnersOf(
  { dumps, snapshots }: BackupFolders,
  features: StoredFeatures,
  { exportPayloadBytes, fetch: send = fetch }: ServalOptions,
): TaskRunners {
  return {
    dumpCreation: dumpRunner(dumps),
    snapshotCreation: snapshotRunner(snapshots),
    export: exportRunner({ features, payloadBytes: exportPayloadBytes, send: sendingBy(send) }),
  };
}

/** What asks other servers while it searches. */
function askingOthers(
  network: NetworkStore,
  options: ServalOptions,
): Pick<Parts, 'remotes' | 'personalizer'> {
  const { fetch: send, personalization, remoteSearchTimeoutMs: timeoutMs } = options;
  const sending = send === undefined ? {} : { fetch: send };
  const patience = timeoutMs === undefined ? {} : { timeoutMs };
  return {
    remotes: new RemoteSearcher(network, { ...sending, ...patience }),
    personalizer:
      personalization === undefined
        ? undefined
        : new Personalizer({ ...sending, ...personalization }),
  };
}

function scheduleOf(
  tasks: TaskQueue,
  { snapshotEverySeconds }: ServalOptions,
): SnapshotSchedule | undefined {
  if (snapshotEverySeconds === undefined) return undefined;
  return new SnapshotSchedule(tasks, snapshotEverySeconds);
}

/** Models are in the data folder unless another one is named. */
function embedderOptions(folder: DataFolder, { embedders }: ServalOptions): EmbedderOptions {
  const localModels = { folder: join(folder.path, 'models'), ...embedders?.localModels };
  return { ...embedders, localModels };
}

function engineOptions(options: ServalOptions, embedders: Embedders): EngineOptions {
  const { maxIndexingMemory, maxIndexingThreads, maxSearchMemory } = options;
  return {
    ...(maxIndexingMemory === undefined ? {} : { maxIndexingMemory }),
    ...(maxIndexingThreads === undefined ? {} : { maxIndexingThreads }),
    ...(maxSearchMemory === undefined ? {} : { maxSearchMemory }),
    embedDocuments: (request, signal) => embedders.embedDocuments(request, signal),
  };
}

function limitsOf(options: ServalOptions): BatchLimits {
  return {
    maxTasks: options.maxBatchedTasks ?? Number.POSITIVE_INFINITY,
    maxBytes: options.maxBatchBytes ?? DEFAULT_BATCH_BYTES,
  };
}
