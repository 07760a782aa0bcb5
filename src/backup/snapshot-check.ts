import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DataFolder } from '../indexes/data-folder.js';
import { Store } from '../native/store.js';
import { waitingPayloads } from '../tasks/waiting-payloads.js';
import { olderVersion, type VersionRules } from '../upgrade/data-version.js';
import { ImportError } from './import-error.js';

/**
 * Refuses what was extracted from a snapshot unless it is a whole data folder of this version, or
 * one that may be upgraded.
 */
export async function checkSnapshot(folder: string, rules: VersionRules): Promise<void> {
  const version = await readFile(join(folder, 'VERSION'), 'utf8').catch(() => undefined);
  if (version === undefined || !existsSync(join(folder, 'server.sqlite'))) {
    throw new ImportError('it is not a snapshot of a data folder');
  }
  olderVersion(version.trim(), rules);
  const store = await Store.open(folder);
  try {
    await checkFiles(new DataFolder(folder), store);
  } finally {
    await store.close();
  }
  await rm(join(folder, 'LOCK'), { force: true });
}

async function checkFiles(folder: DataFolder, store: Store): Promise<void> {
  for (const { uid, directory } of await store.indexes()) {
    if (existsSync(folder.indexPath(directory))) continue;
    throw new ImportError(`the files of the index \`${uid}\` are missing`);
  }
  for (const name of (await waitingPayloads(store)).keys()) {
    if (existsSync(folder.payloadPath(name))) continue;
    throw new ImportError(`the payload \`${name}\` of a task that waits is missing`);
  }
}
