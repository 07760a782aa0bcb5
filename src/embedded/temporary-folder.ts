import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '../native/archive.js';

const PREFIX = 'serval-memory-';
/** The data folder in it, whose lock its owner holds. */
const DATA = 'data.sv';
/** The memory file system of Linux. */
const MEMORY_FOLDER = '/dev/shm';
/** Containers often have a small one, which a few documents would fill. */
const LEAST_FREE_BYTES = 256 * 2 ** 20;
/** A folder without an owner is left alone for so long: it may be about to be opened. */
const ABANDONED_AFTER_MS = 60_000;

/** A folder for data that is not to last, and what removes it. */
export interface TemporaryFolder {
  /** The data folder inside of it; not made yet. */
  readonly path: string;
  readonly remove: () => void;
}

/**
 * Makes a folder in memory where the system has room for that, else among the temporary files. It
 * is removed when asked or when the process exits; what a killed process left is removed by the
 * next one.
 */
export function makeTemporaryFolder(): TemporaryFolder {
  const place = hasRoom(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
  removeAbandoned(place);
  const folder = mkdtempSync(join(place, PREFIX));
  if (inUse.size === 0) process.addListener('exit', removeAll);
  inUse.add(folder);
  return { path: join(folder, DATA), remove: () => remove(folder) };
}

const inUse = new Set<string>();

function remove(folder: string): void {
  inUse.delete(folder);
  if (inUse.size === 0) process.removeListener('exit', removeAll);
  rmSync(folder, { recursive: true, force: true });
}

function removeAll(): void {
  for (const folder of inUse) remove(folder);
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

function removeAbandoned(place: string): void {
  for (const name of readdirSync(place)) {
    if (name.startsWith(PREFIX)) removeUnlessUsed(join(place, name));
  }
}

/** A data folder whose lock can be had has no owner any more. */
function removeUnlessUsed(folder: string): void {
  try {
    if (Date.now() - statSync(folder).mtimeMs < ABANDONED_AFTER_MS) return;
    const data = join(folder, DATA);
    if (existsSync(data)) lockFolder(data)();
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another process uses it, or was quicker to remove it, or it belongs to another user.
  }
}
