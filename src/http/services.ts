import type { Readable } from 'node:stream';
import type { KeyStore } from '../auth/key-store.js';
import type { SendToProvider } from '../chats/provider.js';
import type { WorkspaceStore } from '../chats/workspace-store.js';
import type { BodyFormat } from '../documents/payload-reader.js';
import type { SearchReader } from '../embedded/search-parts.js';
import type { Feature, FeatureSwitches } from '../features/feature.js';
import type { IndexStats } from '../indexes/index-reader.js';
import type { IndexInfo } from '../indexes/index-registry.js';
import type { LongJson } from '../long-json/long-json.js';
import type { UsageCounters } from '../metrics/usage-counters.js';
import type { FilterProblem } from '../native/filter.js';
import type { JsonText } from '../native/json-text.js';
import type { AppliedRules } from '../native/search-rules.js';
import type { SearchStop } from '../native/search-stop.js';
import type { NetworkStore } from '../network/network-store.js';
import type { RemoteSearcher } from '../network/remote-searcher.js';
import type { Personalizer } from '../personalization/personalizer.js';
import type { QueryEmbedder } from '../search/query-vector.js';
import type { RuleStore } from '../search-rules/rule-store.js';
import type { ChangeInterest } from '../tasks/change-listeners.js';
import type { ChangeStream } from '../tasks/change-stream.js';
import type { Batch, IndexUpdate, Page, Task, TaskSummary } from '../tasks/task.js';
import type { TaskCounts } from '../tasks/task-counts.js';
import type { Payload, TaskDraft } from '../tasks/task-draft.js';
import type { TaskFilter } from '../tasks/task-filter.js';
import type { LongBatchPage } from '../tasks/task-queue.js';
import type { WebhookStore } from '../webhooks/webhook-store.js';

/** What reading from indexes needs of the product. */
export interface ReadServices {
  readonly indexes: Pick<IndexRegistry, 'reader' | 'openFolder' | 'federatedSearch'>;
  readonly features: Pick<FeatureStore, 'all' | 'isOn'>;
  readonly network: NetworkStore;
  /** What is counted while the server runs. */
  readonly usage: UsageCounters;
  readonly rules: Pick<RuleStore, 'applied'>;
  /** Makes vectors of queries; without it only vectors that requests bring are searched. */
  readonly queryEmbedder?: QueryEmbedder;
  /** Asks the other servers of the network. */
  readonly remotes: RemoteSearcher;
  /** Orders hits by the taste of a user; without it searches that ask for that are refused. */
  readonly personalizer?: Pick<Personalizer, 'personalize'> | undefined;
}

/** What the server needs of the product; the composition root gives it, tests give small fakes. */
export interface Services extends ReadServices {
  readonly tasks: TaskQueue;
  readonly changes: QueueChanges;
  /** The documents of a task that has not ended, one after another; `undefined` without any. */
  readonly taskDocuments: (uid: number) => Promise<Buffer | Readable | undefined>;
  readonly indexes: IndexRegistry;
  readonly payloads: PayloadReader;
  readonly features: FeatureStore;
  readonly filters: FilterChecker;
  readonly functions: FunctionChecker;
  readonly keys: KeyStore;
  readonly rules: RuleStore;
  readonly webhooks: WebhookStore;
  /** The workspaces of chats. */
  readonly chats: WorkspaceStore;
  /** Reads and writes megabytes of JSON beside the event loop. */
  readonly longJson: Pick<LongJson, 'run'>;
  /** Sends the requests of chats to providers of language models. */
  readonly sendToProvider: SendToProvider;
}

/** The queue of writes, and its history. */
export interface TaskQueue {
  /** Resolves once the task is on disk. */
  enqueue(draft: TaskDraft): Promise<TaskSummary>;
  list(filter: TaskFilter): Promise<Page<Task>>;
  /** The same page; of a long one what `LongJson` shows. */
  page(filter: TaskFilter): Promise<Page<Task> | Buffer>;
  updates(filter: TaskFilter): Promise<IndexUpdate[]>;
  /** Enqueues the canceling of the tasks that match now. */
  cancel(filter: TaskFilter, originalFilter: string): Promise<TaskSummary>;
  /** Enqueues the deletion of the tasks that match now. */
  delete(filter: TaskFilter, originalFilter: string): Promise<TaskSummary>;
  listBatches(filter: TaskFilter): Promise<Page<Batch>>;
  /** The same page; of a long one what `LongJson` shows. */
  batchPage(filter: TaskFilter): Promise<Page<Batch> | LongBatchPage>;
  counts(): Promise<TaskCounts>;
  /** Gives the space of forgotten tasks back, in bytes before and after; no writes come after. */
  compact(): Promise<{ before: number; after: number }>;
  /** Whether writes are refused until the next start. */
  readonly mustRestart: boolean;
  /** Bytes that the queue takes, and that it could still take. */
  space(): Promise<{ used: number; free: number }>;
}

/** What happens in the queue, as it happens. */
export interface QueueChanges {
  followBatches(interest: ChangeInterest<Batch>): ChangeStream;
  followTasks(interest: ChangeInterest<Task>): ChangeStream;
  /** Ends every stream. */
  end(): void;
}

/** Checks received documents and rewrites them as NDJSON, off the main thread. */
export interface PayloadReader {
  /** A path for a body that is too large for memory; the caller writes it and gives it back. */
  newRawPath(): string;
  fromBytes(bytes: Buffer, format: BodyFormat): Promise<Payload>;
  /** Reads, then removes, a file made under `newRawPath`. */
  fromFile(rawPath: string, format: BodyFormat): Promise<Payload>;
}

/** The indexes by uid. */
export interface IndexRegistry {
  list(offset: number, limit: number): Promise<{ results: IndexInfo[]; total: number }>;
  get(uid: string): Promise<IndexInfo | undefined>;
  /** What reads from one index, `undefined` when there is none of that uid. */
  reader(uid: string): Promise<IndexReader | undefined>;
  /** The folder of an index, once it is open; `undefined` when there is none of that uid. */
  openFolder(uid: string): Promise<string | undefined>;
  /** Answers a search over the indexes of these uids, as far as they exist. */
  federatedSearch(
    uids: readonly string[],
    request: string,
    rules?: AppliedRules,
    stop?: SearchStop,
  ): Promise<Buffer>;
  /** Sizes on disk of everything, in bytes. */
  sizes(): Promise<{ databaseSize: number; usedDatabaseSize: number }>;
}

/** Reads from one index, more than searches: requests are JSON, answers are ready JSON. */
export interface IndexReader extends Omit<SearchReader, 'searchText' | 'recallText'> {
  documents(request: string): Promise<Buffer>;
  /** All settings. */
  settings(): Promise<JsonText>;
  /** The fields with what the settings make of them. */
  fields(request: string): Promise<Buffer>;
  /** `undefined` when there is no such document. */
  document(
    id: string,
    fields: readonly string[] | undefined,
    retrieveVectors: boolean | undefined,
  ): Promise<Buffer | undefined>;
  /** Known of an index that is not open, too. */
  numberOfDocuments(): Promise<number>;
  stats(): Promise<IndexStats>;
  sizes(): Promise<Record<string, number>>;
}

/** Which experimental features are on; kept across restarts. */
export interface FeatureStore {
  all(): Readonly<Record<string, boolean>>;
  isOn(feature: Feature): boolean;
  set(switches: FeatureSwitches): Promise<void>;
}

/** Compiles functions that edit documents, to refuse broken ones before anything is enqueued. */
export interface FunctionChecker {
  /** Why a function cannot be compiled; `undefined` when it can. */
  problem(text: string): Promise<string | undefined>;
}

/** Reads filters without an index, to refuse some before anything is enqueued. */
export interface FilterChecker {
  /** Why a filter, given as JSON, cannot be read or needs a feature that is off, if so. */
  problem(filter: string): FilterProblem | undefined;
}
