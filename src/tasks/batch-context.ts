import type { DataFolder } from '../indexes/data-folder.js';
import type { IndexRegistry } from '../indexes/index-registry.js';
import type { RunnableTask, Store } from '../native/store.js';
import type { RuleStore } from '../search-rules/rule-store.js';
import type { BatchEnd } from './batch-end.js';
import type { PendingQueue } from './pending-queue.js';
import type { Progress } from './progress.js';
import type { TaskContent } from './queued-task.js';
import type { TaskType } from './task.js';
import type { TaskEvents } from './task-events.js';

/** Carries out whole tasks of one type, as a batch; throws only when nothing was done. */
export type TaskRunner = (
  tasks: readonly RunnableTask[],
  context: BatchContext,
) => Promise<BatchEnd>;

/** What carries out types of tasks that the queue itself knows nothing of. */
export type TaskRunners = Partial<Readonly<Record<TaskType, TaskRunner>>>;

/** What running a batch may use. */
export interface BatchContext {
  readonly batchUid: number;
  readonly store: Store;
  readonly registry: IndexRegistry;
  readonly folder: DataFolder;
  readonly pending: PendingQueue;
  readonly events: TaskEvents;
  readonly rules: RuleStore;
  readonly runners: TaskRunners;
  readonly progress: Progress;
  /** Aborted when the batch should stop as soon as it can. */
  readonly signal: AbortSignal;
}

/** What a task was enqueued with. */
export function contentOf(task: RunnableTask): TaskContent {
  return task.content as TaskContent;
}
