import { existsSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { PRODUCT_NAME } from '../config/product.js';
import { ApiError } from '../errors/api-error.js';
import { DOCS_URL } from '../errors/docs-url.js';
import { makeFolder } from '../indexes/make-folder.js';
import { compareVersions, parseVersion, type Version } from './version.js';

/** The file of a data folder that says which version wrote it. */
export const VERSION_FILE = 'VERSION';
/** With it, a folder holds data. */
const STORE_FILE = 'server.sqlite';
/** The oldest version, its pre-releases included, whose folders can be upgraded. */
const OLDEST = '0.1.0-0';

/** How data of another version is met. */
export interface VersionRules {
  /** The version that runs. */
  readonly running: string;
  /** Whether data of an older version may be upgraded. */
  readonly mayUpgrade: boolean;
}

/**
 * Makes sure that a data folder is one of the running version, or one that may be upgraded to it;
 * a new folder becomes one. The older version that wrote it, `undefined` when it is this one.
 */
export async function checkDataVersion(
  folder: string,
  rules: VersionRules,
): Promise<string | undefined> {
  const found = await readVersion(folder);
  if (found !== undefined) return olderVersion(found, rules);
  if (existsSync(join(folder, STORE_FILE))) {
    throw refused(
      `The file ${VERSION_FILE} of the database in "${folder}" is missing, so that the version ` +
        'that wrote it is not known. Restore the folder from a snapshot or a dump.',
    );
  }
  // Before anything else: no folder holds data without saying whose.
  await makeFolder(folder);
  await writeVersion(folder, rules.running);
  return undefined;
}

/** The version that wrote a data folder; `undefined` when it does not say. */
async function readVersion(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, VERSION_FILE), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The version of data, when it is one that may be upgraded; `undefined` when it is this one. */
export function olderVersion(
  found: string,
  { running, mayUpgrade }: VersionRules,
): string | undefined {
  const version = parseVersion(found);
  if (version === undefined) {
    const shown = JSON.stringify(found.slice(0, 64));
    throw refused(
      `The file ${VERSION_FILE} of the database is malformed: ${shown} is no version. ` +
        'Restore the folder from a snapshot or a dump.',
    );
  }
  if (found === running) return undefined;
  if (!mayUpgrade) throw refused(incompatible(found, running));
  if (compareVersions(version, known(running)) > 0) {
    throw refused(
      `Database version ${found} is higher than the ${PRODUCT_NAME} version ${running}. Downgrade is not supported`,
    );
  }
  if (compareVersions(version, known(OLDEST)) < 0) {
    throw refused(
      `Database version ${found} is too old to be upgraded via \`--upgrade-db\`. Please generate a dump using the v${found} and import it in the v${running}`,
    );
  }
  return found;
}

function incompatible(found: string, running: string): string {
  return [
    `Your database version (${found}) is incompatible with your current engine version (${running}).`,
    `How data gets from one version to another is told at ${DOCS_URL}/operate#upgrading.`,
    'To upgrade the database in place, start with `--upgrade-db` or `SVC_UPGRADE_DB=true`, after having made a snapshot or a copy of it.',
  ].join('\n');
}

function known(text: string): Version {
  const version = parseVersion(text);
  if (version === undefined) throw new Error(`\`${text}\` is no version`);
  return version;
}

function refused(message: string): ApiError {
  return new ApiError('invalid_state', message);
}

/** Says which version wrote a data folder, on disk before this returns. */
export async function writeVersion(folder: string, version: string): Promise<void> {
  const path = join(folder, VERSION_FILE);
  const file = await open(`${path}.new`, 'w');
  try {
    await file.writeFile(version);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}
