// Runs a module of src/ in the scripts, without building the whole.
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { inRoot, scratch } from '../paths.mjs';

/**
 * The exports of a TypeScript module that needs no addon.
 * @param {string} path relative to the repository
 */
export async function importSource(path) {
  const file = join(scratch, 'modules', basename(path).replace(/\.ts$/, '.mjs'));
  const build = await rolldown({ input: inRoot(path), platform: 'node', tsconfig: false });
  await build.write({ file, format: 'esm' });
  await build.close();
  return import(pathToFileURL(file).href);
}
