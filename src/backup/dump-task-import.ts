import { randomUUID } from 'node:crypto';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { INLINE_BYTES } from '../documents/inline-bytes.js';
import type { DataFolder } from '../indexes/data-folder.js';
import type { ImportedRows, ImportedTask, Store, StoredBatch } from '../native/store.js';
import type { TaskContent } from '../tasks/queued-task.js';
import { TASK_STATUSES, TASK_TYPES } from '../tasks/task.js';
import type { DeletionDraft, SettingsDraft } from '../tasks/task-draft.js';
import type { DumpFiles } from './dump-files.js';
import { checkedDocuments } from './dump-index-import.js';
import { DUMP_PATHS, dumpUidAt } from './dump-layout.js';
import { checkedIds, checkedObject } from './dump-payload-import.js';
import { contentSchema } from './dump-task-content.js';
import { foreignTask } from './foreign-task.js';
import { ImportError } from './import-error.js';

/** Rows that are put in at once. */
const PAGE = 1000;

interface Target {
  readonly store: Store;
  readonly folder: DataFolder;
}

/** Brings the batches of a dump into a store. */
export async function importBatches(files: DumpFiles, store: Store): Promise<void> {
  let batches: NonNullable<ImportedRows['batches']>[number][] = [];
  for await (const line of files.objects(DUMP_PATHS.batches)) {
    const batch = { batchStrategy: 'unspecified', ...line } as unknown as StoredBatch;
    batches.push(batch);
    if (batches.length < PAGE) continue;
    await importRows(store, { batches }, DUMP_PATHS.batches);
    batches = [];
  }
  await importRows(store, { batches }, DUMP_PATHS.batches);
}

/** Brings the tasks of a dump into a store, and the documents of those that wait into a folder. */
export async function importTasks(files: DumpFiles, dumpDate: Date, target: Target): Promise<void> {
  let tasks: ImportedTask[] = [];
  for await (const line of files.objects(DUMP_PATHS.tasks)) {
    const task = endedDump(checkedTask(foreignTask(line) ?? line), dumpDate);
    tasks.push(task.status === 'enqueued' ? await waitingTask(task, files, target) : task);
    if (tasks.length < PAGE) continue;
    await importRows(target.store, { tasks }, DUMP_PATHS.tasks);
    tasks = [];
  }
  await importRows(target.store, { tasks }, DUMP_PATHS.tasks);
}

async function importRows(store: Store, rows: ImportedRows, path: string): Promise<void> {
  try {
    await store.importRows(rows);
  } catch (error) {
    throw new ImportError(`\`${path}\`: ${(error as Error).message}`);
  }
}

function checkedTask(line: Record<string, unknown> | ImportedTask): ImportedTask {
  const { uid, type, status } = line;
  const isKnown = (TASK_TYPES as readonly unknown[]).includes(type);
  if (!isKnown || !(TASK_STATUSES as readonly unknown[]).includes(status)) {
    const text = `task ${JSON.stringify(uid ?? null)} has a type or status that is not known`;
    throw new ImportError(`\`${DUMP_PATHS.tasks}\`: ${text}`);
  }
  return line as unknown as ImportedTask;
}

/** A dump holds the task that made it as running; it has ended well, or there were no dump. */
function endedDump(task: ImportedTask, dumpDate: Date): ImportedTask {
  if (task.status !== 'processing') return task;
  if (task.type !== 'dumpCreation') {
    return { ...task, status: 'enqueued', batchUid: null, startedAt: null };
  }
  const details = { ...task.details, dumpUid: dumpUidAt(dumpDate) };
  const { content: _, ...ended } = task;
  return { ...ended, status: 'succeeded', details, finishedAt: dumpDate.toISOString() };
}

async function waitingTask(
  task: ImportedTask,
  files: DumpFiles,
  { folder }: Target,
): Promise<ImportedTask> {
  const read = contentSchema.safeParse(task.content);
  if (!read.success || read.data.type !== task.type) {
    const text = `task ${task.uid} waits, but what it should do is not told`;
    throw new ImportError(`\`${DUMP_PATHS.tasks}\`: ${text}`);
  }
  // What a version does not know of a task, it keeps.
  const content = task.content as TaskContent;
  if (content.type === 'documentDeletion') return withIds(task, content, files, folder);
  if (content.type === 'settingsUpdate') return withSettings(task, content, files, folder);
  if (content.type !== 'documentAdditionOrUpdate') return task;
  const documents = await checkedDocuments(files, DUMP_PATHS.payload(task.uid));
  const bytes = documents === undefined ? 0 : (await stat(documents)).size;
  const isSmall = documents === undefined || bytes <= INLINE_BYTES;
  const where = isSmall ? { inline: '' } : { file: basename(await keptFile(documents, folder)) };
  return {
    ...task,
    content: {
      ...content,
      payload: { documents: content.payload.documents, content: where },
      payloadBytes: bytes,
    },
    payload: isSmall ? await inlineText(documents) : null,
  };
}

/** A deletion that waits; a long list of ids is a file of its own. */
async function withIds(
  task: ImportedTask,
  content: TaskContent & DeletionDraft,
  files: DumpFiles,
  folder: DataFolder,
): Promise<ImportedTask> {
  const { selection } = content;
  if (selection === 'all' || !('idsIn' in selection)) return task;
  const ids = await checkedIds(files, DUMP_PATHS.payload(task.uid));
  const idsIn = { ...selection.idsIn, file: basename(await keptFile(ids, folder)) };
  return { ...task, content: { ...content, selection: { ...selection, idsIn } } };
}

/** A change of settings that waits; long ones are a file of their own. */
async function withSettings(
  task: ImportedTask,
  content: TaskContent & SettingsDraft,
  files: DumpFiles,
  folder: DataFolder,
): Promise<ImportedTask> {
  if (!('settingsIn' in content)) return task;
  const settings = await checkedObject(files, DUMP_PATHS.payload(task.uid));
  const settingsIn = { ...content.settingsIn, file: basename(await keptFile(settings, folder)) };
  return { ...task, content: { ...content, settingsIn } };
}

async function inlineText(file: string | undefined): Promise<string> {
  return file === undefined ? '' : readFile(file, 'utf8');
}

/** Moves a checked file, which is on disk, to where payloads wait. */
async function keptFile(documents: string, folder: DataFolder): Promise<string> {
  const kept = folder.payloadPath(`${randomUUID()}.ndjson`);
  await rename(documents, kept);
  if (process.platform !== 'win32') {
    const handle = await open(folder.payloads, 'r');
    await handle.sync();
    await handle.close();
  }
  return kept;
}
