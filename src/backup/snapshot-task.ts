import { basename, join } from 'node:path';
import { ApiError } from '../errors/api-error.js';
import type { Archive } from '../native/archive.js';
import { BatchAborted } from '../native/engine-index.js';
import type { BatchContext, TaskRunner } from '../tasks/batch-context.js';
import { failed, succeeded } from '../tasks/batch-end.js';
import { waitingPayloads } from '../tasks/waiting-payloads.js';
import { inSteps } from './backup-steps.js';
import { writeArchive } from './write-archive.js';

/** The name of the snapshot of a data folder. */
export function snapshotName(dataFolder: string): string {
  return `${basename(dataFolder)}.snapshot`;
}

/** Makes snapshots in a folder. */
export function snapshotRunner(folder: string): TaskRunner {
  return async (tasks, context) => {
    const { path, scratch } = context.folder;
    const target = join(folder, snapshotName(path));
    const options = { signal: context.signal, readOnly: true, scratch };
    try {
      await writeArchive(target, options, (archive) => fill(archive, context));
    } catch (error) {
      if (error instanceof BatchAborted || error instanceof ApiError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      const reason = { code: 'internal', message: `The snapshot could not be made: ${message}` };
      return { outcomes: tasks.map((task) => failed(task, reason)), registry: [] };
    }
    return { outcomes: tasks.map((task) => succeeded(task)), registry: [] };
  };
}

/**
 * The copy of the store comes first and decides: what it names, indexes and payloads of tasks that
 * wait, stands still or is still there afterwards, because no batch ends while this one runs.
 */
async function fill(archive: Archive, context: BatchContext): Promise<void> {
  const { folder, store, progress } = context;
  const copy = await folder.newScratchPath('server.sqlite');
  await inSteps(progress, 'creating the snapshot', [
    ['start the snapshot creation', () => store.copyTo(copy)],
    [
      'snapshot the index scheduler',
      async () => {
        await archive.addFile('VERSION', join(folder.path, 'VERSION'));
        await archive.addFile('server.sqlite', copy);
      },
    ],
    ['snapshot the update files', () => addPayloads(archive, context)],
    ['snapshot the indexes', () => addIndexes(archive, context)],
  ]);
}

async function addPayloads(archive: Archive, { store, folder }: BatchContext): Promise<void> {
  for (const name of (await waitingPayloads(store)).keys()) {
    await archive.addFile(`payloads/${name}`, folder.payloadPath(name));
  }
}

async function addIndexes(archive: Archive, { registry, progress }: BatchContext): Promise<void> {
  const rows = [...registry.rows()];
  progress.enter('index', rows.length);
  try {
    for (const { uid, directory } of rows) {
      const index = await registry.open(uid);
      if (index === undefined) throw new Error(`index \`${uid}\` is gone`);
      await index.addFilesTo(archive, `indexes/${directory}`);
      progress.advance();
    }
  } finally {
    progress.leave();
  }
}
