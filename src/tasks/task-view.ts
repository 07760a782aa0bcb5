import { errorBody } from '../errors/api-error.js';
import type { StoredBatch, StoredPage, StoredTask } from '../native/store.js';
import { nativeError } from '../native/unwrap.js';
import type { RunningBatch } from './running-batch.js';
import type {
  Batch,
  BatchProgress,
  BatchStats,
  Page,
  Task,
  TaskStatus,
  TaskSummary,
  TaskType,
} from './task.js';
import { shownDetails } from './task-details.js';

/** A stored task as it is shown, keys in the order of the wire. */
export function taskView(stored: StoredTask): Task {
  return {
    uid: stored.uid,
    batchUid: stored.batchUid,
    indexUid: stored.indexUid,
    status: stored.status as TaskStatus,
    type: stored.type as TaskType,
    canceledBy: stored.canceledBy,
    ...(stored.details === undefined ? {} : { details: shownDetails(stored.details) }),
    error: stored.error === null ? null : errorView(stored.error),
    duration: stored.duration,
    enqueuedAt: stored.enqueuedAt,
    startedAt: stored.startedAt,
    finishedAt: stored.finishedAt,
    ...(stored.network === undefined ? {} : { network: stored.network }),
    ...(stored.customMetadata === undefined ? {} : { customMetadata: stored.customMetadata }),
  };
}

/** A stored page of tasks as it is shown. */
export function taskPageView(page: StoredPage<StoredTask>): Page<Task> {
  return { ...page, results: page.results.map(taskView) };
}

/** A stored page of batches as it is shown. */
export function batchPageView(
  page: StoredPage<StoredBatch>,
  progress: BatchProgress | null,
): Page<Batch> {
  return { ...page, results: page.results.map((batch) => batchView(batch, progress)) };
}

function errorView({ code, message }: { code: string; message: string }) {
  return errorBody(nativeError(code, message).code, message);
}

/** The acknowledgement of a stored task. */
export function summaryView(stored: StoredTask): TaskSummary {
  return {
    taskUid: stored.uid,
    indexUid: stored.indexUid,
    status: stored.status as TaskStatus,
    type: stored.type as TaskType,
    enqueuedAt: stored.enqueuedAt,
    ...(stored.customMetadata === undefined ? {} : { customMetadata: stored.customMetadata }),
  };
}

/** A stored batch as it is shown; `progress` is that of the running batch, else null. */
export function batchView(stored: StoredBatch, progress: BatchProgress | null): Batch {
  return {
    uid: stored.uid,
    progress: stored.finishedAt === null ? progress : null,
    details: stored.details,
    stats: stored.stats as unknown as BatchStats,
    duration: stored.duration,
    startedAt: stored.startedAt,
    finishedAt: stored.finishedAt,
    batchStrategy: stored.batchStrategy,
  };
}

/** The running batch as it is shown. */
export function runningBatchView(running: RunningBatch): Batch {
  return {
    uid: running.uid,
    progress: running.progress.view(),
    details: {},
    stats: running.stats,
    duration: null,
    startedAt: running.startedAt,
    finishedAt: null,
    batchStrategy: running.strategy,
  };
}
