import { readdir } from 'node:fs/promises';
import { PRODUCT_VERSION } from '../config/product.js';
import { DataFolder } from '../indexes/data-folder.js';
import type { Engine } from '../native/engine-index.js';
import { Store } from '../native/store.js';
import { writeVersion } from '../upgrade/data-version.js';
import { DumpFiles } from './dump-files.js';
import { importIndex } from './dump-index-import.js';
import { DUMP_PATHS, DUMP_VERSION } from './dump-layout.js';
import { importRecords } from './dump-record-import.js';
import { importBatches, importTasks } from './dump-task-import.js';
import { ImportError } from './import-error.js';

/** Characters of a layout that is not known that messages repeat. */
const SHOWN_CHARACTERS = 100;

/** Makes a data folder out of an extracted dump. What is left of it after an error is rubbish. */
export async function importDump(
  extracted: string,
  dataFolder: string,
  engine: Engine,
): Promise<void> {
  const files = new DumpFiles(extracted);
  const dumpDate = await checkedDate(files);
  const folder = new DataFolder(dataFolder);
  await writeVersion(folder.path, PRODUCT_VERSION);
  await folder.makeFolders();
  const store = await Store.open(folder.path);
  try {
    await importRecords(files, store);
    for (const name of await indexFolders(files)) {
      await importIndex(files, `${DUMP_PATHS.indexes}/${name}`, { store, folder, engine });
    }
    await importBatches(files, store);
    await importTasks(files, dumpDate, { store, folder });
  } finally {
    await store.close();
  }
}

/** When the dump was made; refuses layouts that cannot be read. */
async function checkedDate(files: DumpFiles): Promise<Date> {
  const metadata = await files.object(DUMP_PATHS.metadata);
  if (metadata === undefined) throw new ImportError('it is not a dump');
  const { dumpVersion, dumpDate } = metadata;
  if (dumpVersion !== DUMP_VERSION) {
    const found = JSON.stringify(dumpVersion ?? null).slice(0, SHOWN_CHARACTERS);
    throw new ImportError(
      `its layout is ${found}, only "${DUMP_VERSION}" can be read. A later version of what wrote it can make one of that layout`,
    );
  }
  const date = new Date(String(dumpDate));
  if (Number.isNaN(date.getTime())) throw new ImportError('its date is not valid');
  return date;
}

async function indexFolders(files: DumpFiles): Promise<string[]> {
  if (!files.has(DUMP_PATHS.indexes)) return [];
  const entries = await readdir(files.path(DUMP_PATHS.indexes), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
