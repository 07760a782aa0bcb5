import { join } from 'node:path';
import { PRODUCT_VERSION } from '../config/product.js';
import { ApiError } from '../errors/api-error.js';
import { reasonOf } from '../errors/error-reason.js';
import type { Archive } from '../native/archive.js';
import { BatchAborted } from '../native/engine-index.js';
import { textOf } from '../native/json-text.js';
import type { IndexRow, RunnableTask } from '../native/store.js';
import { type BatchContext, contentOf, type TaskRunner } from '../tasks/batch-context.js';
import { type BatchEnd, failed, type TaskError } from '../tasks/batch-end.js';
import { payloadFileOf } from '../tasks/payload-file.js';
import type { TaskContent } from '../tasks/queued-task.js';
import { inSteps, withEachIndex } from './backup-steps.js';
import { DUMP_PATHS, DUMP_VERSION, dumpUidAt, INDEX_FILES, indexFolder } from './dump-layout.js';
import { addRecords } from './dump-records.js';
import { writeArchive } from './write-archive.js';

/** Tasks whose payloads are looked up at once. */
const PAGE = 500;

/** Makes dumps in a folder. */
export function dumpRunner(folder: string): TaskRunner {
  return async (tasks, context) => {
    const [task] = tasks;
    return task === undefined ? { outcomes: [], registry: [] } : runDump(task, folder, context);
  };
}

async function runDump(
  task: RunnableTask,
  folder: string,
  context: BatchContext,
): Promise<BatchEnd> {
  const made = new Date();
  const dumpUid = dumpUidAt(made);
  try {
    await writeArchive(
      join(folder, `${dumpUid}.dump`),
      { signal: context.signal, readOnly: false },
      (archive) => fill(archive, made, context),
    );
  } catch (error) {
    if (error instanceof BatchAborted) throw error;
    return { outcomes: [failed(task, dumpError(error))], registry: [] };
  }
  const details = { ...task.details, dumpUid };
  return { outcomes: [{ uid: task.uid, status: 'succeeded', details }], registry: [] };
}

function dumpError(error: unknown): TaskError {
  if (error instanceof ApiError && error.code !== 'internal') {
    return { code: error.code, message: error.message };
  }
  const message = reasonOf(error);
  return { code: 'dump_process_failed', message: `The dump could not be made: ${message}` };
}

/**
 * No batch ends while this one runs, so indexes, ended tasks and batches stand still; tasks that
 * come in meanwhile are left out by their uids.
 */
async function fill(archive: Archive, made: Date, context: BatchContext): Promise<void> {
  const { store, registry, progress } = context;
  const before = await store.nextTaskUid();
  const rows = [...registry.rows()].sort((a, b) => (a.uid < b.uid ? -1 : 1));
  const metadata = {
    dumpVersion: DUMP_VERSION,
    dbVersion: PRODUCT_VERSION,
    dumpDate: made.toISOString(),
  };
  await inSteps(progress, 'creating the dump', [
    [
      'start the dump creation',
      () => archive.addText(DUMP_PATHS.metadata, JSON.stringify(metadata)),
    ],
    ['dump the api keys', async () => addRecords(archive, await store.allRecords())],
    [
      'dump the tasks',
      async () => {
        await store.addTasksTo(archive, DUMP_PATHS.tasks, before);
        await addPayloads(archive, before, context);
      },
    ],
    ['dump the batches', () => store.addBatchesTo(archive, DUMP_PATHS.batches)],
    ['dump the indexes', () => addIndexes(archive, rows, context)],
  ]);
}

/** Adds the documents of imports that wait, and long lists of ids, each as a file of its own. */
async function addPayloads(
  archive: Archive,
  before: number,
  { store, folder }: BatchContext,
): Promise<void> {
  for await (const page of store.queuedPages(PAGE)) {
    const withPayload = page.filter(
      ({ uid, content }) => uid < before && hasPayload(content as TaskContent | null),
    );
    for (const task of await store.runnableTasks(withPayload.map(({ uid }) => uid))) {
      const where = payloadFileOf(contentOf(task));
      const path = DUMP_PATHS.payload(task.uid);
      if (where !== undefined) await archive.addFile(path, folder.payloadPath(where.file));
      else await archive.addText(path, task.payload ?? '');
    }
    if (page.some(({ uid }) => uid >= before)) return;
  }
}

function hasPayload(content: TaskContent | null): boolean {
  if (content === null) return false;
  return content.type === 'documentAdditionOrUpdate' || payloadFileOf(content) !== undefined;
}

async function addIndexes(
  archive: Archive,
  rows: readonly IndexRow[],
  context: BatchContext,
): Promise<void> {
  await withEachIndex(rows, context, async (index, row, number) => {
    const { uid, primaryKey, createdAt, updatedAt } = row;
    const folder = indexFolder(uid, number);
    const metadata = JSON.stringify({ uid, primaryKey, createdAt, updatedAt });
    await archive.addText(`${folder}/${INDEX_FILES.metadata}`, metadata);
    await archive.addText(`${folder}/${INDEX_FILES.settings}`, textOf(await index.settings()));
    await index.addDocumentsTo(archive, `${folder}/${INDEX_FILES.documents}`);
  });
}
