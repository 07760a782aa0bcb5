import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { DumpFiles } from './dump-files.js';
import { ImportError } from './import-error.js';

/** The file of the ids of a deletion that waits, synced to disk once each line is known to be one. */
export async function checkedIds(files: DumpFiles, path: string): Promise<string> {
  if (!files.has(path)) throw new ImportError(`\`${path}\` is missing`);
  const file = files.path(path);
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    line += 1;
    if (!isId(text)) throw new ImportError(`\`${path}\`: line ${line} is no id`);
  }
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
