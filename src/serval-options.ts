import type { BucketOptions } from './backup/bucket/bucket-options.js';
import type { ImportSource } from './backup/start-import.js';
import type { EmbedderOptions } from './embedders/embedders.js';
import type { Feature } from './features/feature.js';
import type { Engine } from './native/engine-index.js';
import type { RuleBudgets } from './native/search-rules.js';
import type { PersonalizerOptions } from './personalization/personalizer.js';
import type { RetentionLimits } from './tasks/retention.js';

/** How an instance is opened. */
export interface ServalOptions {
  /** Bytes that indexing may use. */
  maxIndexingMemory?: number | undefined;
  /** Threads that turn the documents of a batch into words and columns; one when absent. */
  maxIndexingThreads?: number | undefined;
  /**
   * Bytes in which the searches of all indexes remember what frequent words told them, and answers.
   * A sixteenth of the memory when absent; of that, each index uses 64 MiB, or 128 bytes for each
   * document up to 512 MiB.
   */
  maxSearchMemory?: number | undefined;
  /** Tasks of one batch at most; 0 keeps the queue from being worked on. */
  maxBatchedTasks?: number | undefined;
  /** Payload bytes of one batch at most. */
  maxBatchBytes?: number | undefined;
  /** Experimental features that are on from the start, whatever was switched before. */
  features?: readonly Feature[] | undefined;
  /** How much of the history of tasks is kept. */
  retention?: RetentionLimits | undefined;
  /** Bytes that tasks may take on disk before writes are refused. @internal */
  maxQueueBytes?: number | undefined;
  /** Where dumps are put; `dumps` inside of the data folder when absent. */
  dumpFolder?: string | undefined;
  /** Where snapshots are put; `snapshots` inside of the data folder when absent. */
  snapshotFolder?: string | undefined;
  /** The bucket of S3 that snapshots are put into, and nowhere else. */
  snapshotBucket?: BucketOptions | undefined;
  /** Seconds between snapshots that are made without being asked for. */
  snapshotEverySeconds?: number | undefined;
  /** What a new data folder is filled from. */
  importFrom?: ImportSource | undefined;
  /** Upgrade data of an older version, rather than refuse it; a task does what takes long. */
  upgrade?: boolean | undefined;
  /** Bytes of one request of an export at the most, when the export does not say. */
  exportPayloadBytes?: number | undefined;
  /**
   * Sends the requests to other servers: embedders, remotes, those of exports. The `fetch` of the platform
   * when absent, which reaches every address.
   */
  fetch?: typeof fetch | undefined;
  /** How embedders are run. */
  embedders?: EmbedderOptions | undefined;
  /** The service that orders hits by the taste of users; without it none are. @internal */
  personalization?: Pick<PersonalizerOptions, 'apiKey' | 'url'> | undefined;
  /** Milliseconds in which other servers of the network must answer a search. @internal */
  remoteSearchTimeoutMs?: number | undefined;
  /** How much of the dynamic search rules a search looks at. @internal */
  searchRuleBudgets?: RuleBudgets | undefined;
  /** Aborted while the instance opens, it is closed again. */
  signal?: AbortSignal | undefined;
  /** The engine that indexes and searches; the native one when absent. @internal */
  engine?: Engine | undefined;
}
