import type { EngineTaskResult } from '../native/engine-index.js';
import type { EndableTask, RegistryChange, TaskOutcome, UidRanges } from '../native/store.js';
import { failedDetails, finishedDetails } from './task-details.js';

/** What running a batch came to, before it is stored. */
export interface BatchEnd {
  readonly outcomes: readonly TaskOutcome[];
  readonly registry: readonly RegistryChange[];
  /** Finished tasks to forget. */
  readonly forgottenTasks?: UidRanges;
  /** Directories of indexes to remove once the end is stored. */
  readonly discarded?: readonly string[];
}

/** Why a task failed. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
}

/** The error of an index that exists already. */
export function indexAlreadyExists(uid: string): TaskError {
  return { code: 'index_already_exists', message: `Index \`${uid}\` already exists.` };
}

/** A task that did what it should, with the counts its details show. */
export function succeeded(task: EndableTask, counts: Record<string, unknown> = {}): TaskOutcome {
  return { uid: task.uid, status: 'succeeded', details: finishedDetails(task.details, counts) };
}

/** A task that did nothing, and why. */
export function failed(task: EndableTask, { code, message }: TaskError): TaskOutcome {
  const error = { code, message };
  return { uid: task.uid, status: 'failed', details: failedDetails(task.details), error };
}

/** Codes whose messages speak of documents or keys alone, and so do not name the index. */
const WITHOUT_INDEX = new Set([
  'index_not_found',
  'index_already_exists',
  'index_primary_key_already_exists',
  'index_primary_key_no_candidate_found',
  'index_primary_key_multiple_candidates_found',
  'invalid_document_id',
  'missing_document_id',
  'max_fields_limit_exceeded',
  'no_space_left_on_device',
  'internal',
]);

/** The outcome of a task that the engine carried out on an index. */
export function engineOutcome(
  task: EndableTask,
  result: EngineTaskResult | undefined,
  indexUid: string,
): TaskOutcome {
  if (result === undefined) {
    return failed(task, { code: 'internal', message: 'the engine did not answer for this task' });
  }
  if (result.status === 'succeeded') {
    const { indexedDocuments, deletedDocuments, editedDocuments } = result;
    return succeeded(task, { indexedDocuments, deletedDocuments, editedDocuments });
  }
  const error = result.error ?? { code: 'internal', message: 'the task failed' };
  return failed(task, WITHOUT_INDEX.has(error.code) ? error : ofIndex(indexUid, error));
}

/** The same error, saying which index it is about. */
export function ofIndex(indexUid: string, error: TaskError): TaskError {
  return { ...error, message: `Index \`${indexUid}\`: ${error.message}` };
}
