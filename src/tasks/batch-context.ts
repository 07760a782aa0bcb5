import type { DataFolder } from '../indexes/data-folder.js';
import type { IndexRegistry } from '../indexes/index-registry.js';
import type { RunnableTask, Store } from '../native/store.js';
import type { RuleStore } from '../search-rules/rule-store.js';
import type { PendingQueue } from './pending-queue.js';
import type { Progress } from './progress.js';
import type { TaskContent } from './queued-task.js';

/** What running a batch may use. */
export interface BatchContext {
  readonly batchUid: number;
  readonly store: Store;
  readonly registry: IndexRegistry;
  readonly folder: DataFolder;
  readonly pending: PendingQueue;
  readonly rules: RuleStore;
  readonly progress: Progress;
  /** Aborted when the batch should stop as soon as it can. */
  readonly signal: AbortSignal;
}

/** What a task was enqueued with. */
export function contentOf(task: RunnableTask): TaskContent {
  return task.content as TaskContent;
}
