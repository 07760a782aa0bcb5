import type { DataFolder } from '../indexes/data-folder.js';
import type { IndexRegistry } from '../indexes/index-registry.js';
import type { RunnableTask, Store } from '../native/store.js';
import { contentOf } from './batch-context.js';
import type { BatchEnd } from './batch-end.js';
import { endOfBatch } from './index-batch.js';
import { endOfUpdate } from './index-life.js';
import type { PendingQueue } from './pending-queue.js';
import { Progress } from './progress.js';
import type { Scheduler } from './scheduler.js';
import { waitingPayloads } from './waiting-payloads.js';

/** What recovery works with. */
export interface RecoveryParts {
  readonly store: Store;
  readonly registry: IndexRegistry;
  readonly pending: PendingQueue;
  readonly scheduler: Scheduler;
  readonly folder: DataFolder;
}

/**
 * Ends the batch that an index had committed when the process died before the store knew: its
 * last commit names the tasks, and those of them that still wait are ended by what it says. So
 * each task is applied exactly once.
 */
export async function finishCommittedBatches(parts: RecoveryParts): Promise<void> {
  const { pending, registry, store, scheduler } = parts;
  for (const indexUid of [...pending.indexUids()]) {
    const index = await registry.open(indexUid);
    const last = (await index?.info())?.lastBatch ?? null;
    if (index === undefined || last === null) continue;
    const waiting = last.results.filter(({ taskUid }) => pending.get(taskUid) !== undefined);
    if (waiting.length === 0) continue;
    const start = await store.nextBatch();
    if (last.uid !== start.uid) continue;
    const tasks = await store.runnableTasks(waiting.map(({ taskUid }) => taskUid));
    const [first] = tasks;
    if (first === undefined) continue;
    const end = isUpdate(first)
      ? endOfUpdate(first, waiting[0])
      : await endOfBatch(indexUid, tasks, waiting, index);
    await endRecovered(scheduler, start, end);
  }
}

function isUpdate(task: RunnableTask): boolean {
  return contentOf(task).type === 'indexUpdate';
}

async function endRecovered(
  scheduler: Scheduler,
  start: { uid: number; startedAt: string },
  end: BatchEnd,
): Promise<void> {
  const progress = new Progress();
  progress.enterPhases('processing tasks', 2);
  await scheduler.end({ strategy: 'unspecified' }, start, end, progress);
}

/** Removes index folders that no index names and payloads that no waiting task needs. */
export async function removeLeftovers(parts: RecoveryParts): Promise<void> {
  const directories = new Set([...parts.registry.rows()].map(({ directory }) => directory));
  const payloads = await waitingPayloads(parts.store);
  await parts.folder.removeLeftovers(directories, payloads);
}
