import { open } from 'node:fs/promises';
import { boundedLines } from './bounded-lines.js';
import type { DumpFiles } from './dump-files.js';
import { ImportError } from './import-error.js';

/** Bytes that are more than any identifier has, however it is escaped. */
const LONGEST_ID_BYTES = 64 * 1024;

/** The file of the ids of a deletion that waits, synced to disk once each line is known to be one. */
export async function checkedIds(files: DumpFiles, path: string): Promise<string> {
  if (!files.has(path)) throw new ImportError(`\`${path}\` is missing`);
  const file = files.path(path);
  let line = 0;
  const lines = boundedLines(file, { keepsEmpty: true, longest: LONGEST_ID_BYTES });
  for await (const text of lines) {
    line += 1;
    if (!isId(text)) throw new ImportError(`\`${path}\`: line ${line} is no id`);
  }
  return synced(file);
}

/** The file of settings that wait, synced to disk once it is known to hold an object. */
export async function checkedObject(files: DumpFiles, path: string): Promise<string> {
  if ((await files.object(path)) === undefined) throw new ImportError(`\`${path}\` is missing`);
  return synced(files.path(path));
}

async function synced(file: string): Promise<string> {
  const handle = await open(file, 'r+');
  await handle.sync();
  await handle.close();
  return file;
}

function isId(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'string';
  } catch {
    return false;
  }
}
