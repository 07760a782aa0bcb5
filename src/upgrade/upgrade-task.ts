import { ApiError } from '../errors/api-error.js';
import { reasonOf } from '../errors/error-reason.js';
import { BatchAborted, type Engine } from '../native/engine-index.js';
import type { IndexRow } from '../native/store.js';
import type { BatchContext, TaskRunner } from '../tasks/batch-context.js';
import { failed, succeeded } from '../tasks/batch-end.js';
import type { PendingQueue } from '../tasks/pending-queue.js';
import type { TaskQueue } from '../tasks/task-queue.js';
import { writeVersion } from './data-version.js';

/** The code of an index whose files are missing or do not hold what they should. */
const DAMAGED = 'invalid_store_file';

/** What an upgrade is begun with. */
interface UpgradeParts {
  readonly tasks: Pick<TaskQueue, 'enqueue'>;
  readonly pending: PendingQueue;
  readonly folder: string;
}

/**
 * Enqueues the upgrade of a data folder, from whose moment on the folder is one of the running
 * version. Killed in between, the next start does both again, and enqueues nothing twice.
 */
export async function beginUpgrade(
  upgradeFrom: string,
  running: string,
  { tasks, pending, folder }: UpgradeParts,
): Promise<void> {
  const [waiting] = pending.ofType('upgradeDatabase');
  if (waiting === undefined) {
    const versions = { upgradeFrom: `v${upgradeFrom}`, upgradeTo: `v${running}` };
    await tasks.enqueue({ type: 'upgradeDatabase', ...versions });
  }
  await writeVersion(folder, running);
}

/** Brings every index of an older format to the present one, one after the other. */
export function upgradeRunner(engine: Engine): TaskRunner {
  return async (tasks, context) => {
    try {
      await upgradeIndexes(engine, context);
    } catch (error) {
      if (error instanceof BatchAborted) throw error;
      const code = error instanceof ApiError ? error.code : 'internal';
      const message = reasonOf(error);
      const reason = { code, message: `The database could not be upgraded: ${message}` };
      return { outcomes: tasks.map((task) => failed(task, reason)), registry: [] };
    }
    return { outcomes: tasks.map((task) => succeeded(task)), registry: [] };
  };
}

async function upgradeIndexes(engine: Engine, context: BatchContext): Promise<void> {
  const { registry, progress } = context;
  const rows = [...registry.rows()];
  progress.enter('upgrading the indexes', 1);
  progress.enter('index', rows.length);
  try {
    for (const row of rows) {
      await upgradeIndex(row, engine, context);
      progress.advance();
    }
  } finally {
    progress.leave();
    progress.leave();
  }
}

/** Each index is of one format or the other, so that what is done need not be done again. */
async function upgradeIndex(
  row: IndexRow,
  engine: Engine,
  { registry, folder, signal }: BatchContext,
): Promise<void> {
  const path = folder.indexPath(row.directory);
  try {
    const { isOutdated } = await engine.lastCommit(path);
    if (isOutdated) {
      await engine.upgradeIndex(path, signal);
      registry.forgetRefusal(row.directory);
    }
  } catch (error) {
    // A damaged index answers with its damage, whatever version runs, and can be deleted.
    if (!(error instanceof ApiError) || error.code !== DAMAGED) throw error;
  }
}
