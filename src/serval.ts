import { join } from 'node:path';
import { assemble, type Parts } from './assembly.js';
import { ApiKeys } from './auth/api-keys.js';
import type { KeyStore } from './auth/key-store.js';
import { snapshotPlace } from './backup/snapshot-task.js';
import type { WorkspaceStore } from './chats/workspace-store.js';
import { checkOpen } from './check/check-data.js';
import type { CheckReport } from './check/check-report.js';
import { PayloadReader } from './documents/payload-reader.js';
import { abortable } from './embedded/abortable.js';
import type { LongOptions } from './embedded/document-types.js';
import { type EnqueuedTask, enqueueAndWait, type WaitOptions } from './embedded/enqueued-task.js';
import { Index } from './embedded/index-handle.js';
import { checkOpening } from './embedded/open-options.js';
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
import type { Embedders } from './embedders/embedders.js';
import type { StoredFeatures } from './features/stored-features.js';
import type { DataFolder } from './indexes/data-folder.js';
import type { IndexRegistry } from './indexes/index-registry.js';
import { refuseRepeated, swapsOf, swapsSchema } from './indexes/index-swaps.js';
import { UsageCounters } from './metrics/usage-counters.js';
import { degradedSearches } from './native/engine.js';
import type { Store } from './native/store.js';
import type { NetworkStore } from './network/network-store.js';
import type { RemoteSearcher } from './network/remote-searcher.js';
import type { Personalizer } from './personalization/personalizer.js';
import type { RuleStore } from './search-rules/rule-store.js';
import type { ServalOptions } from './serval-options.js';
import type { QueueChanges } from './tasks/queue-changes.js';
import type { Task } from './tasks/task.js';
import type { TaskDraft } from './tasks/task-draft.js';
import type { TaskQueue } from './tasks/task-queue.js';
import { validated } from './validation/validated.js';

export type { ServalOptions } from './serval-options.js';

/** Opened as a path, it stands for an instance in memory. */
const IN_MEMORY = ':memory:';

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
   * `:memory:` is `Serval.memory`. Throws `bad_request` for wrong options, `invalid_state` when the
   * folder is open already, an `ImportError` when it cannot be filled from `importFrom`, and what the
   * system says when it may not be written: an error whose code is `EACCES` or the like.
   */
  static async open(path: string, options: ServalOptions = {}): Promise<Serval> {
    if (path === IN_MEMORY) return Serval.memory(options);
    checkOpening(path, options);
    const { signal } = options;
    signal?.throwIfAborted();
    const opened = new Serval(await assemble(path, options));
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

  /**
   * An index by its uid, whether there is one or not: nothing is created yet. Throws
   * `invalid_index_uid` for what can be none.
   */
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
    return abortable((stop) => searchEach(queries, this.searching, stop), options.signal);
  }

  /** Answers several searches with one list of hits, the best of all of them first. */
  async federatedSearch<const Queries extends readonly IndexQuery[]>(
    queries: Queries,
    federation: Federation & LongOptions = {},
  ): Promise<FederatedResponse<DocumentOf<Queries[number]>>> {
    const { signal, ...rest } = federation;
    return abortable((stop) => searchTogether(queries, rest, this.searching, stop), signal);
  }

  /** The API keys of a server on this folder that has this master key. */
  apiKeys(masterKey: string): ApiKeys {
    return new ApiKeys(masterKey, this.keys);
  }

  /** Exchanges the names of pairs of indexes, all or none; each index is in one pair at most. */
  async swapIndexes(pairs: readonly (readonly [string, string])[]): Promise<EnqueuedTask> {
    const asked = Array.isArray(pairs) ? pairs.map((indexes) => ({ indexes })) : pairs;
    const swaps = swapsOf(validated(swapsSchema, asked));
    refuseRepeated(swaps);
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

  /**
   * Makes a snapshot and resolves to the path of its file; where snapshots go to a bucket, to the
   * address of the object there: `s3://bucket/prefix/name.snapshot`.
   */
  async snapshot(options: WaitOptions = {}): Promise<string> {
    await finished(await this.createSnapshot(), options);
    const { folders, snapshotBucket: bucket } = this.#parts;
    return snapshotPlace(this.folder.path, { folder: folders.snapshots, bucket });
  }

  /**
   * Reads every file of the data folder and tells which of them do not hold what was written.
   * Searches go on meanwhile; the writes of an index wait while its files are read.
   *
   * @example
   * ```ts
   * console.log((await db.check()).damaged); // []
   * ```
   */
  check(): Promise<CheckReport> {
    return checkOpen(this.store, this.folder, this.indexes);
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
    const { scheduler, tasks, indexes, engine, store, ...rest } = this.#parts;
    const { snapshots, changes, embedders } = rest;
    snapshots?.stop();
    changes.end();
    await scheduler.stop();
    tasks.close();
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
