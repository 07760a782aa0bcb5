import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import type { DataFolder } from '../indexes/data-folder.js';
import type { Engine, EngineIndex, EngineOperation } from '../native/engine-index.js';
import { preparePayload } from '../native/payload.js';
import type { Store } from '../native/store.js';
import { isIndexUid } from '../validation/index-uid.js';
import type { DumpFiles } from './dump-files.js';
import { INDEX_FILES } from './dump-layout.js';
import { ImportError } from './import-error.js';

/** Names the commit of an import; no batch of a queue ever gets this uid. */
const NO_BATCH = 2 ** 32 - 1;

/** What an import fills. */
export interface ImportTarget {
  readonly store: Store;
  readonly folder: DataFolder;
  readonly engine: Engine;
}

/** Makes an index out of a folder of a dump. */
export async function importIndex(
  files: DumpFiles,
  path: string,
  { store, folder, engine }: ImportTarget,
): Promise<void> {
  const metadata = await indexMetadata(files, path);
  const directory = randomUUID();
  const index = await engine.createIndex(folder.indexPath(directory));
  try {
    await fillIndex(files, path, metadata, index);
    const { primaryKey } = await index.info();
    await store.importRows({ indexes: [{ ...metadata, directory, primaryKey }] });
  } finally {
    await index.close();
  }
}

async function indexMetadata(files: DumpFiles, path: string) {
  const place = `${path}/${INDEX_FILES.metadata}`;
  const { uid, primaryKey, createdAt, updatedAt } = (await files.object(place)) ?? {};
  // Indexes of the server itself have names that start with a dot.
  const isName = typeof uid === 'string' && isIndexUid(uid.replace(/^\./, ''));
  const isKey = primaryKey === null || primaryKey === undefined || typeof primaryKey === 'string';
  if (!isName || !isKey || !isDate(createdAt) || !isDate(updatedAt)) {
    throw new ImportError(`\`${place}\` does not describe an index`);
  }
  return { uid, primaryKey: primaryKey ?? null, createdAt, updatedAt };
}

function isDate(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

async function fillIndex(
  files: DumpFiles,
  path: string,
  { uid, primaryKey }: { uid: string; primaryKey: string | null },
  index: EngineIndex,
): Promise<void> {
  const operations: EngineOperation[] = [];
  const add = (operation: EngineOperation) => operations.push(operation);
  if (primaryKey !== null) add({ taskUid: 0, type: 'primaryKeyUpdate', primaryKey });
  const settings = await files.object(`${path}/${INDEX_FILES.settings}`);
  if (settings !== undefined) add({ taskUid: 1, type: 'settingsUpdate', settings });
  const documents = await checkedDocuments(files, `${path}/${INDEX_FILES.documents}`);
  if (documents !== undefined) {
    add({
      taskUid: 2,
      type: 'documentAdditionOrUpdate',
      method: 'replace',
      primaryKey: null,
      payload: { file: documents },
      skipCreation: false,
    });
  }
  if (operations.length === 0) return;
  const results = await index.applyBatch({ batchUid: NO_BATCH, finishedAt: null, operations });
  const error = results.find(({ status }) => status === 'failed')?.error;
  if (error !== undefined) throw new ImportError(`index \`${uid}\`: ${error.message}`);
  if (documents !== undefined) await rm(documents);
}

/** A checked copy of a file of documents, in place of it; `undefined` when there are none. */
export async function checkedDocuments(
  files: DumpFiles,
  path: string,
): Promise<string | undefined> {
  if (!files.has(path)) throw new ImportError(`\`${path}\` is missing`);
  const rawPath = files.path(path);
  if ((await stat(rawPath)).size === 0) return undefined;
  const outPath = `${rawPath}.checked`;
  try {
    await preparePayload({ format: 'ndjson', rawPath, outPath }, null);
  } catch (error) {
    throw new ImportError(`\`${path}\`: ${(error as Error).message}`);
  }
  await rm(rawPath);
  return outPath;
}
