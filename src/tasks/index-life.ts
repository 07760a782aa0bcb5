import { indexNotFound } from '../errors/not-found.js';
import type { RegistryChange, RunnableTask } from '../native/store.js';
import { type BatchContext, contentOf } from './batch-context.js';
import {
  type BatchEnd,
  engineOutcome,
  failed,
  indexAlreadyExists,
  ofIndex,
  succeeded,
  type TaskError,
} from './batch-end.js';
import type { IndexCreationDraft, IndexSwapDraft, IndexUpdateDraft } from './task-draft.js';

/** Creates an index. */
export async function createIndex(task: RunnableTask, context: BatchContext): Promise<BatchEnd> {
  const { indexUid, primaryKey } = contentOf(task) as IndexCreationDraft;
  const { registry, batchUid } = context;
  if (registry.row(indexUid) !== undefined) {
    return { outcomes: [failed(task, indexAlreadyExists(indexUid))], registry: [] };
  }
  const { directory, index } = await registry.create();
  if (primaryKey !== null) {
    const operation = { taskUid: task.uid, type: 'primaryKeyUpdate', primaryKey } as const;
    const operations = [operation];
    const [result] = await index.applyBatch({ batchUid, finishedAt: null, operations });
    if (result?.status === 'failed') {
      return {
        outcomes: [engineOutcome(task, result, indexUid)],
        registry: [],
        discarded: [directory],
      };
    }
  }
  const create: RegistryChange = { op: 'create', uid: indexUid, directory, primaryKey };
  return { outcomes: [succeeded(task)], registry: [create] };
}

/** Gives an index another primary key, another name, or both. */
export async function updateIndex(task: RunnableTask, context: BatchContext): Promise<BatchEnd> {
  const { indexUid, primaryKey, newIndexUid } = contentOf(task) as IndexUpdateDraft;
  const { registry, batchUid } = context;
  const index = await registry.open(indexUid);
  if (index === undefined) {
    return { outcomes: [failed(task, indexNotFound(indexUid))], registry: [] };
  }
  const renames = newIndexUid !== undefined && newIndexUid !== indexUid;
  if (renames && registry.row(newIndexUid) !== undefined) {
    return { outcomes: [failed(task, indexAlreadyExists(newIndexUid))], registry: [] };
  }
  if (primaryKey === undefined || primaryKey === null) {
    const known = registry.row(indexUid)?.primaryKey;
    return endOfUpdate(task, { taskUid: task.uid, status: 'succeeded' }, known);
  }
  const operation = { taskUid: task.uid, type: 'primaryKeyUpdate', primaryKey } as const;
  const [result] = await index.applyBatch({ batchUid, finishedAt: null, operations: [operation] });
  return endOfUpdate(task, result);
}

/**
 * Ends an update by what the engine told of it; also used when it tells after a crash. A primary key that is not changed
 * is `known`.
 */
export function endOfUpdate(
  task: RunnableTask,
  result: Parameters<typeof engineOutcome>[1],
  known: string | null = null,
): BatchEnd {
  const { indexUid, primaryKey, newIndexUid } = contentOf(task) as IndexUpdateDraft;
  const outcome = engineOutcome(task, result, indexUid);
  if (outcome.error?.code === 'index_primary_key_already_exists') {
    return { outcomes: [failed(task, ofIndex(indexUid, outcome.error))], registry: [] };
  }
  if (outcome.status !== 'succeeded') return { outcomes: [outcome], registry: [] };
  const registry: RegistryChange[] = [];
  const isRenamed = newIndexUid !== undefined && newIndexUid !== indexUid;
  if (isRenamed || typeof primaryKey === 'string') {
    registry.push({ op: 'touch', uid: indexUid, primaryKey: primaryKey ?? known });
  }
  if (isRenamed) {
    registry.push({ op: 'rename', from: indexUid, to: newIndexUid, beforeTask: task.uid });
  }
  return { outcomes: [outcome], registry };
}

/** Exchanges or renames indexes: all pairs or none. */
export function swapIndexes(task: RunnableTask, context: BatchContext): BatchEnd {
  const { swaps } = contentOf(task) as IndexSwapDraft;
  const exists = (uid: string) => context.registry.row(uid) !== undefined;
  const error = swapError(swaps, exists);
  if (error !== undefined) return { outcomes: [failed(task, error)], registry: [] };
  const registry = swaps.map(
    ({ indexes: [a, b], rename }): RegistryChange =>
      rename
        ? { op: 'rename', from: a, to: b, beforeTask: task.uid }
        : { op: 'swap', a, b, beforeTask: task.uid },
  );
  return { outcomes: [succeeded(task)], registry };
}

function swapError(
  swaps: IndexSwapDraft['swaps'],
  exists: (uid: string) => boolean,
): TaskError | undefined {
  const needed = swaps.flatMap(({ indexes: [a, b], rename }) => (rename ? [a] : [a, b]));
  const missing = needed.filter((uid) => !exists(uid)).sort();
  const [first] = missing;
  if (first !== undefined) return missing.length === 1 ? indexNotFound(first) : allMissing(missing);
  const taken = swaps.filter(({ indexes: [, to], rename }) => rename && exists(to));
  return taken.length === 0 ? undefined : namesTaken(taken.map(({ indexes }) => indexes));
}

function allMissing(uids: readonly string[]): TaskError {
  return { code: 'index_not_found', message: `Indexes ${listed(uids)} not found.` };
}

function namesTaken(pairs: ReadonlyArray<readonly [string, string]>): TaskError {
  const [pair] = pairs;
  const message =
    pairs.length === 1 && pair !== undefined
      ? `Cannot rename \`${pair[0]}\` to \`${pair[1]}\` as the index already exists. Hint: You can remove \`${pair[1]}\` first and then do your remove.`
      : `The following indexes are being renamed but cannot because their new name conflicts with an already existing index: ${listed(pairs.map(([, to]) => to).sort())}. Renaming doesn't overwrite the other index name.`;
  return { code: 'index_already_exists', message };
}

function listed(uids: readonly string[]): string {
  return uids.map((uid) => `\`${uid}\``).join(', ');
}
