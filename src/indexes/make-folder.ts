import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing; one that is there stays as it is. Throws what
 * the system says. Node's own recursive way never ends where the system says of a new folder that the
 * one above it is missing although it is there, as in `/proc`.
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  const above = dirname(folder);
  if (above !== folder && !existsSync(above)) await makeFolder(above);
  try {
    await mkdir(folder);
  } catch (error) {
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
