import type { DataFolder } from '../indexes/data-folder.js';
import type { IndexRegistry } from '../indexes/index-registry.js';
import type { EngineIndex, EngineIndexInfo } from '../native/engine-index.js';
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

/** An open index, and what it knows of itself. */
interface Opened {
  readonly index: EngineIndex;
  readonly info: EngineIndexInfo;
}

/**
 * Ends the batch that an index had committed when the process died before the store knew: its
 * last commit names the tasks, and those of them that still wait are ended by what it says. So
 * each task is applied exactly once.
 */
export async function finishCommittedBatches(parts: RecoveryParts): Promise<void> {
  const { pending, registry } = parts;
  for (const indexUid of [...pending.indexUids()]) {
    const opened = await openedWithInfo(registry, indexUid);
    if (opened !== undefined) await finishCommitted(indexUid, opened, parts);
  }
}

/** An index and what it knows of itself; one that cannot be opened keeps nobody from starting. */
async function openedWithInfo(registry: IndexRegistry, uid: string): Promise<Opened | undefined> {
  try {
    const index = await registry.open(uid);
    return index === undefined ? undefined : { index, info: await index.info() };
  } catch (error) {
    registry.refuse(uid, error);
    return undefined;
  }
}

async function finishCommitted(
  indexUid: string,
  { index, info: { lastBatch: last } }: Opened,
  { pending, store, scheduler }: RecoveryParts,
): Promise<void> {
  if (last === null) return;
  const waiting = last.results.filter(({ taskUid }) => pending.get(taskUid) !== undefined);
  if (waiting.length === 0) return;
  const start = await store.nextBatch();
  if (last.uid !== start.uid) return;
  const tasks = await store.runnableTasks(waiting.map(({ taskUid }) => taskUid));
  const [first] = tasks;
  if (first === undefined) return;
  const end = isUpdate(first)
    ? endOfUpdate(first, waiting[0])
    : await endOfBatch(indexUid, tasks, waiting, index);
  await endRecovered(scheduler, start, end);
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
  const payloads = new Set((await waitingPayloads(parts.store)).keys());
  await parts.folder.removeLeftovers(directories, payloads);
}
