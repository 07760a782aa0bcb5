import { join } from 'node:path';
import { PRODUCT_VERSION } from '../config/product.js';
import { DataFolder } from '../indexes/data-folder.js';
import type { IndexRegistry } from '../indexes/index-registry.js';
import { lockFolder } from '../native/archive.js';
import { checkIndexFolder, checkStore } from '../native/check.js';
import type { IndexCheck } from '../native/engine-index.js';
import { type IndexRow, Store } from '../native/store.js';
import { waitingPayloads } from '../tasks/waiting-payloads.js';
import { checkArchives, checkPayload, checkVersion } from './check-files.js';
import { CheckFindings, type CheckReport } from './check-report.js';

/** The files of one index. */
type CheckIndex = (row: IndexRow) => Promise<IndexCheck>;

/**
 * Looks through a data folder that no process has open; nothing in it is changed. Throws when one
 * has. @internal
 */
export async function checkFolder(path: string): Promise<CheckReport> {
  const folder = new DataFolder(path);
  const findings = new CheckFindings(folder.path);
  const unlock = lockFolder(folder.path);
  let isReadable: boolean;
  try {
    isReadable = await checkFiles(folder, findings);
  } finally {
    unlock();
  }
  if (!isReadable) return findings.report();
  const store = await Store.open(folder.path);
  try {
    const ofRow: CheckIndex = ({ directory }) => checkIndexFolder(folder.indexPath(directory));
    await checkIndexes(await store.indexes(), ofRow, findings);
    await checkPayloads(store, folder, findings);
  } finally {
    await store.close();
  }
  return findings.report();
}

/** Looks through the data folder of an open instance. @internal */
export async function checkOpen(
  store: Store,
  folder: DataFolder,
  indexes: IndexRegistry,
): Promise<CheckReport> {
  const findings = new CheckFindings(folder.path);
  await checkFiles(folder, findings);
  const ofRow: CheckIndex = async ({ uid, directory }) => {
    try {
      const index = await indexes.open(uid);
      if (index !== undefined) return await index.check();
    } catch {
      // One that cannot be opened is not written to either.
    }
    const found = await checkIndexFolder(folder.indexPath(directory));
    // One that was deleted meanwhile has no files any more.
    return indexes.row(uid)?.directory === directory ? found : { files: 0, damaged: [] };
  };
  await checkIndexes([...indexes.rows()], ofRow, findings);
  await checkPayloads(store, folder, findings);
  return findings.report();
}

/**
 * The files that are not found through the store, and the store; whether that can be read: opening
 * one of another version would change it.
 */
async function checkFiles(folder: DataFolder, findings: CheckFindings): Promise<boolean> {
  await checkVersion(folder.path, PRODUCT_VERSION, findings);
  const isOurs = findings.report().damaged.length === 0;
  for (const name of ['dumps', 'snapshots']) await checkArchives(join(folder.path, name), findings);
  findings.read(1);
  const wrong = await checkStore(folder.path);
  for (const reason of wrong) findings.damage(join(folder.path, 'server.sqlite'), reason);
  return isOurs && wrong.length === 0;
}

async function checkIndexes(
  rows: readonly IndexRow[],
  check: CheckIndex,
  findings: CheckFindings,
): Promise<void> {
  for (const row of rows) {
    const { files, damaged } = await check(row);
    findings.read(files);
    for (const { path, reason } of damaged) findings.damage(path, reason, row.uid);
  }
}

async function checkPayloads(
  store: Store,
  folder: DataFolder,
  findings: CheckFindings,
): Promise<void> {
  for (const [name, crc] of await waitingPayloads(store)) {
    const path = folder.payloadPath(name);
    const found = new CheckFindings(folder.path);
    await checkPayload(path, crc, found);
    const { files, damaged } = found.report();
    // A task that has ended meanwhile took its payload with it.
    if (damaged.length > 0 && !(await waitingPayloads(store)).has(name)) continue;
    findings.read(files);
    for (const { reason } of damaged) findings.damage(path, reason);
  }
}
