import { indexNotFound } from '../errors/not-found.js';
import {
  BatchAborted,
  type EngineIndex,
  type EngineOperation,
  type EngineTaskResult,
} from '../native/engine-index.js';
import type { RegistryChange, RunnableTask } from '../native/store.js';
import { type BatchContext, contentOf } from './batch-context.js';
import { type BatchEnd, engineOutcome, failed, succeeded } from './batch-end.js';
import { tellOfMore } from './expected-batch.js';
import type { PayloadFile } from './payload-file.js';
import type { TaskContent } from './queued-task.js';

/** Runs operations on documents, settings and the life of one index, in order. */
export async function runIndexBatch(
  indexUid: string,
  tasks: readonly RunnableTask[],
  context: BatchContext,
): Promise<BatchEnd> {
  if (tasks.some((task) => contentOf(task).type === 'indexDeletion')) {
    return deleteIndex(indexUid, tasks, context);
  }
  const index = await context.registry.open(indexUid);
  if (index !== undefined) {
    const on = { indexUid, index, nTasks: tasks.length };
    const results = await applyTasks(on, tasks, context);
    return endOfBatch(indexUid, doneOf(tasks, results, context), results, index);
  }
  const first = tasks.findIndex((task) => mayCreate(contentOf(task)));
  const refused = first === -1 ? tasks : tasks.slice(0, first);
  const error = indexNotFound(indexUid);
  const outcomes = refused.map((task) => failed(task, error));
  if (first === -1) return { outcomes, registry: [] };
  const created = await runOnNewIndex(indexUid, tasks, first, context);
  return { ...created, outcomes: [...outcomes, ...created.outcomes] };
}

/** Ends tasks by what the engine told of them; also used when it tells after a crash. */
export async function endOfBatch(
  indexUid: string,
  tasks: readonly RunnableTask[],
  results: readonly EngineTaskResult[],
  index: { info(): Promise<{ readonly primaryKey: string | null }> },
): Promise<BatchEnd> {
  const byUid = new Map(results.map((result) => [result.taskUid, result]));
  const outcomes = tasks.map((task) => engineOutcome(task, byUid.get(task.uid), indexUid));
  const changed = outcomes.some(({ status }) => status === 'succeeded');
  if (!changed) return { outcomes, registry: [] };
  const { primaryKey } = await index.info();
  const registry: RegistryChange[] = [{ op: 'touch', uid: indexUid, primaryKey }];
  return { outcomes, registry };
}

/** Creates the index with the first task that may, and runs this one and those after it. */
async function runOnNewIndex(
  indexUid: string,
  all: readonly RunnableTask[],
  first: number,
  context: BatchContext,
): Promise<BatchEnd> {
  const { directory, index } = await context.progress.during('creating the index', () =>
    context.registry.create(),
  );
  const tasks = all.slice(first);
  try {
    const on = { indexUid, index, nTasks: all.length };
    const results = await applyTasks(on, tasks, context);
    const done = doneOf(tasks, results, context);
    const end = await endOfBatch(indexUid, done, results, index);
    const { primaryKey } = await index.info();
    return { ...end, registry: [{ op: 'create', uid: indexUid, directory, primaryKey }] };
  } catch (error) {
    await context.registry.discard(directory);
    throw error;
  }
}

/** The tasks that ended: all, or those on disk when the batch was stopped. The others wait again. */
function doneOf(
  tasks: readonly RunnableTask[],
  results: readonly EngineTaskResult[],
  { signal }: BatchContext,
): readonly RunnableTask[] {
  if (!signal.aborted) return tasks;
  const done = new Set(results.map(({ taskUid }) => taskUid));
  return tasks.filter(({ uid }) => done.has(uid));
}

/** An index that tasks are on. */
interface TaskIndex {
  readonly indexUid: string;
  readonly index: EngineIndex;
  /** Tasks of the batch. */
  readonly nTasks: number;
}

function applyTasks(
  on: TaskIndex,
  tasks: readonly RunnableTask[],
  context: BatchContext,
): Promise<EngineTaskResult[]> {
  const lastClear = tasks.findLastIndex((task) => isClear(contentOf(task)));
  const operations = tasks.map((task, place) =>
    lastClear === -1 || place === lastClear
      ? operationOf(task, context)
      : operationBesideClear(task, context),
  );
  const { progress } = context;
  return progress.during('indexing', () => applyUnlessAborted(on, operations, context));
}

async function applyUnlessAborted(
  { indexUid, index, nTasks }: TaskIndex,
  operations: EngineOperation[],
  context: BatchContext,
): Promise<EngineTaskResult[]> {
  const { batchUid, signal, progress } = context;
  if (signal.aborted) throw new BatchAborted();
  const abort = () => index.abortBatch(batchUid);
  signal.addEventListener('abort', abort);
  const stopTelling = tellOfMore(index, indexUid, nTasks, context);
  progress.watch(() => index.batchProgress());
  try {
    return await index.applyBatch({ batchUid, finishedAt: null, operations });
  } finally {
    signal.removeEventListener('abort', abort);
    stopTelling();
    progress.watch(undefined, index.batchTrace());
  }
}

function operationOf(task: RunnableTask, context: BatchContext): EngineOperation {
  const content = contentOf(task);
  const taskUid = task.uid;
  switch (content.type) {
    case 'documentAdditionOrUpdate': {
      const { type, method, primaryKey, skipCreation } = content;
      const stored = content.payload.content;
      const payload =
        'file' in stored ? { file: fileOf(stored, context) } : { inline: task.payload ?? '' };
      return { taskUid, type, method, primaryKey, payload, skipCreation };
    }
    case 'documentDeletion': {
      const { type, selection } = content;
      if (selection === 'all') return { taskUid, type: 'documentClear' };
      if ('idsIn' in selection) {
        return { taskUid, type, idsFile: fileOf(selection.idsIn, context) };
      }
      return 'ids' in selection
        ? { taskUid, type, ids: selection.ids }
        : { taskUid, type, filter: selection.filter };
    }
    case 'documentEdition': {
      const { type, function: text, context: values, contextJson = values, filter } = content;
      return { taskUid, type, function: text, context: contextJson, filter };
    }
    case 'settingsUpdate':
      return 'settingsIn' in content
        ? { taskUid, type: content.type, settingsFile: fileOf(content.settingsIn, context) }
        : { taskUid, type: content.type, settings: content.settings };
    default:
      throw new Error(`a task of type \`${content.type}\` is not an operation on an index`);
  }
}

function fileOf({ file }: PayloadFile, { folder }: BatchContext): string {
  return folder.payloadPath(file);
}

/**
 * What a task is worth in a batch that removes all documents: settings are applied, documents do
 * not count. The task still goes to the engine, so that its commit names it.
 */
function operationBesideClear(task: RunnableTask, context: BatchContext): EngineOperation {
  const content = contentOf(task);
  const taskUid = task.uid;
  if (content.type === 'settingsUpdate') return operationOf(task, context);
  if (content.type !== 'documentAdditionOrUpdate') {
    return { taskUid, type: 'documentDeletion', ids: [] };
  }
  const { type, method, skipCreation } = content;
  return { taskUid, type, method, primaryKey: null, payload: { inline: '' }, skipCreation };
}

function isClear(content: TaskContent): boolean {
  return content.type === 'documentDeletion' && content.selection === 'all';
}

function mayCreate(content: TaskContent): boolean {
  return 'mayCreateIndex' in content && content.mayCreateIndex;
}

/** Operations that a deletion of the index absorbed count as done, on nothing. */
async function deleteIndex(
  indexUid: string,
  tasks: readonly RunnableTask[],
  context: BatchContext,
): Promise<BatchEnd> {
  const row = context.registry.row(indexUid);
  if (row === undefined && !tasks.some((task) => mayCreate(contentOf(task)))) {
    const error = indexNotFound(indexUid);
    return { outcomes: tasks.map((task) => failed(task, error)), registry: [] };
  }
  const deletedDocuments = await countDocuments(indexUid, context);
  const outcomes = tasks.map((task) =>
    succeeded(task, contentOf(task).type === 'indexDeletion' ? { deletedDocuments } : {}),
  );
  if (row === undefined) return { outcomes, registry: [] };
  return { outcomes, registry: [{ op: 'delete', uid: indexUid }], discarded: [row.directory] };
}

/** How many documents an index holds; none can be counted in a damaged one, which can be deleted. */
async function countDocuments(indexUid: string, { registry }: BatchContext): Promise<number> {
  try {
    const index = await registry.open(indexUid);
    return (await index?.info())?.numberOfDocuments ?? 0;
  } catch {
    return 0;
  }
}
