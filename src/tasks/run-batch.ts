import type { RunnableTask } from '../native/store.js';
import type { BatchContext } from './batch-context.js';
import { type BatchEnd, failed } from './batch-end.js';
import { compactIndex } from './compact-index.js';
import { runIndexBatch } from './index-batch.js';
import { createIndex, swapIndexes, updateIndex } from './index-life.js';
import type { NextBatch } from './next-batch.js';
import { clearRules, updateRule } from './rule-tasks.js';
import { cancelTasks, deleteTasks } from './task-selection.js';

/** Carries out a batch; nothing of it is stored yet. Throws only when nothing was done. */
export async function runBatch(batch: NextBatch, context: BatchContext): Promise<BatchEnd> {
  const tasks = await context.progress.during('retrieving tasks', () =>
    context.store.runnableTasks(batch.tasks.map(({ uid }) => uid)),
  );
  const onIndex = batch.kind === 'index' || batch.type === 'documentEdition';
  if (onIndex && batch.indexUid !== null) {
    return runIndexBatch(batch.indexUid, tasks, context);
  }
  const [first] = tasks;
  return first === undefined
    ? { outcomes: [], registry: [] }
    : runTasks(first, tasks, batch, context);
}

async function runTasks(
  first: RunnableTask,
  tasks: readonly RunnableTask[],
  batch: NextBatch,
  context: BatchContext,
): Promise<BatchEnd> {
  switch (batch.type) {
    case 'indexCreation':
      return context.progress.during('creating the index', () => createIndex(first, context));
    case 'indexUpdate':
      return context.progress.during('updating the index', () => updateIndex(first, context));
    case 'indexCompaction':
      return compactIndex(first, context);
    case 'indexSwap':
      return swapIndexes(first, context);
    case 'taskCancelation':
      return context.progress.during('updating tasks', () => cancelTasks(first, context));
    case 'taskDeletion':
      return context.progress.during('deleting tasks', () => deleteTasks(tasks, context));
    case 'dsrUpdate':
      return updateRule(first, context);
    case 'dsrClear':
      return clearRules(first, context);
    default: {
      const runner = context.runners[batch.type];
      if (runner !== undefined) return runner(tasks, context);
      const error = { code: 'internal', message: `tasks of type \`${batch.type}\` cannot be run` };
      return { outcomes: tasks.map((task) => failed(task, error)), registry: [] };
    }
  }
}
