import { existsSync } from 'node:fs';
import { mkdir, rm, rmdir, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ApiError } from '../errors/api-error.js';
import { makeFolder } from '../indexes/make-folder.js';
import { extractArchive, lockFolder } from '../native/archive.js';
import type { Engine } from '../native/engine-index.js';
import type { VersionRules } from '../upgrade/data-version.js';
import { importDump } from './dump-import.js';
import { ImportError } from './import-error.js';
import { checkSnapshot } from './snapshot-check.js';
import { fillStaged, holdsData, settleStage } from './staged-folder.js';

/** What a new data folder is filled from when an instance is opened. */
export interface ImportSource {
  readonly kind: 'dump' | 'snapshot';
  readonly path: string;
  /** Start empty when the file is missing, instead of failing. */
  readonly ignoreMissing?: boolean;
  /** Start with the data that is there, instead of failing. */
  readonly ignoreIfDataExists?: boolean;
}

/** What an import works with. */
interface ImportParts {
  readonly engine: Engine;
  /** How a snapshot of another version is met. */
  readonly rules: VersionRules;
}

/** Files and folders of an archive at the most: payloads of waiting tasks are most of them. */
const MAX_ENTRIES = 50_000_000;
/** What the system says of a file that is used as a folder, or a folder as a file. */
const MISPLACED: ReadonlySet<string> = new Set(['EISDIR', 'ENOTDIR']);
/** Bytes of the disk that an archive must leave free. */
const SPARE_BYTES = 64 * 2 ** 20;

/**
 * @internal Makes a data folder ready to be opened: ends an import that was killed, then fills a folder
 * without data from a dump or a snapshot, if one is given. Either all of it is there afterwards,
 * or the folder is as it was and an `ImportError` says why.
 */
export async function prepareDataFolder(
  dataFolder: string,
  source: ImportSource | undefined,
  { engine, rules }: ImportParts,
): Promise<void> {
  const folder = resolve(dataFolder);
  const isNew = !existsSync(folder);
  if (isNew && source === undefined) return;
  await makeFolder(folder);
  const release = lockFolder(folder);
  let filled = false;
  try {
    await settleStage(folder);
    filled = source !== undefined && (await isWanted(folder, source));
    if (filled && source !== undefined) await fill(folder, source, { engine, rules });
  } catch (error) {
    filled = false;
    throw error;
  } finally {
    release();
    if (isNew && !filled) await removeEmpty(folder);
  }
}

async function isWanted(folder: string, source: ImportSource): Promise<boolean> {
  const { kind, path, ignoreMissing = false, ignoreIfDataExists = false } = source;
  const isThere = existsSync(path);
  if (await holdsData(folder)) {
    if (ignoreIfDataExists) return false;
    const text = `database already exists at "${folder}", try to delete it or rename it`;
    throw new ImportError(text);
  }
  if (!isThere && !ignoreMissing) throw new ImportError(`${kind} doesn't exist at "${path}"`);
  return isThere;
}

async function fill(
  folder: string,
  { kind, path }: ImportSource,
  { engine, rules }: ImportParts,
): Promise<void> {
  try {
    await fillStaged(folder, (stage) =>
      kind === 'dump' ? fromDump(path, stage, engine) : fromSnapshot(path, stage, rules),
    );
  } catch (error) {
    if (!(error instanceof ImportError) && !(error instanceof ApiError)) throw error;
    throw new ImportError(`the ${kind} "${path}" cannot be imported: ${error.message}`);
  }
}

async function fromDump(path: string, stage: string, engine: Engine): Promise<void> {
  const extracted = join(stage, 'extracted');
  await mkdir(extracted);
  await extract(path, extracted, false);
  try {
    await importDump(extracted, stage, engine);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!MISPLACED.has(code)) throw error;
    throw new ImportError('it has a folder where a file belongs, or a file in place of a folder');
  }
  await rm(extracted, { recursive: true });
}

async function fromSnapshot(path: string, stage: string, rules: VersionRules): Promise<void> {
  await extract(path, stage, true);
  await checkSnapshot(stage, rules);
}

async function extract(path: string, folder: string, durable: boolean): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const maxBytes = Math.max(0, bavail * bsize - SPARE_BYTES);
  await extractArchive(path, folder, { maxBytes, maxEntries: MAX_ENTRIES, durable });
}

/** Removes the folder that was made for nothing. */
async function removeEmpty(folder: string): Promise<void> {
  await rm(join(folder, 'LOCK'), { force: true });
  // Somebody else may have put something there.
  await rmdir(folder).catch(() => undefined);
}
