import type { DataFolder } from '../indexes/data-folder.js';
import type { IndexRegistry } from '../indexes/index-registry.js';
import type { Engine, LastCommit } from '../native/engine-index.js';
import type { RunnableTask, Store } from '../native/store.js';
import { contentOf } from './batch-context.js';
import type { BatchEnd } from './batch-end.js';
import { endOfBatch } from './index-batch.js';
import { endOfUpdate } from './index-life.js';
import type { PendingQueue } from './pending-queue.js';
import { Progress } from './progress.js';
import type { Scheduler } from './scheduler.js';
import type { TaskEvents } from './task-events.js';
import { waitingPayloads } from './waiting-payloads.js';

/** What recovery works with. */
export interface RecoveryParts {
  readonly store: Store;
  readonly registry: IndexRegistry;
  readonly pending: PendingQueue;
  readonly scheduler: Scheduler;
  readonly folder: DataFolder;
  readonly engine: Engine;
}

/** What recovery needs to know of an index. */
type Committed = Pick<LastCommit, 'primaryKey' | 'lastBatch'>;

/**
 * Ends the batch that an index had committed when the process died before the store knew: its
 * last commit names the tasks, and those of them that still wait are ended by what it says. So
 * each task is applied exactly once.
 */
export async function finishCommittedBatches(parts: RecoveryParts): Promise<void> {
  for (const indexUid of [...parts.pending.indexUids()]) {
    const committed = await commitOf(indexUid, parts);
    if (committed !== undefined) await finishCommitted(indexUid, committed, parts);
  }
}

/**
 * Waits for work of the start, but no longer than until it is kept from going on, as by a full disk:
 * what is there can be read meanwhile.
 */
export async function unlessStalled(events: TaskEvents, work: Promise<void>): Promise<void> {
  let unsubscribe: () => void = () => undefined;
  const stalled = new Promise<void>((resolve) => {
    unsubscribe = events.subscribe(({ kind }) => {
      if (kind === 'stalled') resolve();
    });
  });
  try {
    await Promise.race([work, stalled]);
  } finally {
    unsubscribe();
  }
}

/** What an index knows of itself; one that cannot be opened keeps nobody from starting. */
async function commitOf(uid: string, parts: RecoveryParts): Promise<Committed | undefined> {
  const { registry } = parts;
  try {
    return await (await registry.open(uid))?.info();
  } catch (error) {
    registry.refuse(uid, error);
    return outdatedCommit(uid, parts);
  }
}

/** The last commit of an index that waits for its upgrade; what it has done must be known before. */
async function outdatedCommit(
  uid: string,
  { registry, folder, engine }: RecoveryParts,
): Promise<Committed | undefined> {
  const row = registry.row(uid);
  if (row === undefined) return undefined;
  const commit = await engine.lastCommit(folder.indexPath(row.directory)).catch(() => undefined);
  return commit?.isOutdated === true ? commit : undefined;
}

async function finishCommitted(
  indexUid: string,
  committed: Committed,
  { pending, store, scheduler }: RecoveryParts,
): Promise<void> {
  const { lastBatch: last } = committed;
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
    : await endOfBatch(indexUid, tasks, waiting, { info: async () => committed });
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
