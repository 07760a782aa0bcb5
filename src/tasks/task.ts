import type { ErrorBody } from '../errors/api-error.js';

/** Every task type, in the order messages list them. */
export const TASK_TYPES = [
  'documentAdditionOrUpdate',
  'documentEdition',
  'documentDeletion',
  'settingsUpdate',
  'indexCreation',
  'indexDeletion',
  'indexUpdate',
  'indexSwap',
  'taskCancelation',
  'taskDeletion',
  'dumpCreation',
  'snapshotCreation',
  'export',
  'upgradeDatabase',
  'indexCompaction',
  'networkTopologyChange',
  'dsrUpdate',
  'dsrClear',
] as const;

export type TaskType = (typeof TASK_TYPES)[number];

/** Every status a task can have, in the order messages list them. */
export const TASK_STATUSES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/**
 * What a task, or the tasks of a batch, are about and have done; which of it is there depends on the
 * type. Counters are null until the task has ended.
 */
export interface TaskDetails {
  receivedDocuments?: number;
  indexedDocuments?: number | null;
  editedDocuments?: number | null;
  deletedDocuments?: number | null;
  /** Documents that a deletion names. */
  providedIds?: number;
  /** The filter of a deletion or an edition; the query that chose tasks. */
  originalFilter?: string | null;
  /** Tasks that were to be canceled or deleted. */
  matchedTasks?: number;
  canceledTasks?: number | null;
  deletedTasks?: number | null;
  primaryKey?: string | null;
  dumpUid?: string | null;
  /** Anything else: settings that were changed, the function of an edition, and more. */
  [name: string]: unknown;
}

/** A task as it is shown; keys in the order of the wire. Dates are RFC 3339. */
export interface Task {
  uid: number;
  batchUid: number | null;
  indexUid: string | null;
  status: TaskStatus;
  type: TaskType;
  canceledBy: number | null;
  details?: TaskDetails;
  error: ErrorBody | null;
  /** Of ISO 8601: `PT0.25S`. */
  duration: string | null;
  enqueuedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  network?: Record<string, unknown>;
  customMetadata?: string;
}

/** A task as an update of its index. */
export interface IndexUpdate {
  readonly task: Task;
  /** Whether its documents change parts of those that are there, rather than replace them. */
  readonly isPartial: boolean;
}

/** The acknowledgement of a write; keys in the order of the wire. */
export interface TaskSummary {
  taskUid: number;
  indexUid: string | null;
  status: TaskStatus;
  type: TaskType;
  enqueuedAt: string;
  customMetadata?: string;
}

/** A batch as it is shown; keys in the order of the wire. */
export interface Batch {
  uid: number;
  progress: BatchProgress | null;
  details: TaskDetails;
  stats: BatchStats;
  duration: string | null;
  startedAt: string;
  finishedAt: string | null;
  batchStrategy: string;
}

/** How far the running batch is: steps from the outermost to the innermost. */
export interface BatchProgress {
  steps: { currentStep: string; finished: number; total: number }[];
  percentage: number;
}

/** What a batch holds. */
export interface BatchStats {
  totalNbTasks: number;
  status: Record<string, number>;
  types: Record<string, number>;
  indexUids: Record<string, number>;
  progressTrace?: Record<string, string>;
}

/** One page of tasks or batches. */
export interface Page<T> {
  results: T[];
  total: number;
  limit: number;
  /** Uid of the first result. */
  from: number | null;
  /** Uid the next page starts at; null on the last page. */
  next: number | null;
}

/** Whether a task has ended. */
export function isFinished(status: TaskStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'canceled';
}
