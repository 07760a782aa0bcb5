// Where things are in this repository, and how to call the tools installed in it.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository root. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * A path inside the repository.
 * @param {string[]} parts
 */
export const inRoot = (...parts) => join(root, ...parts);

/** Scratch folder of the scripts: stamps of finished builds, reports of runners. Not in git, not in the package. */
export const scratch = inRoot('.build');

/**
 * The script behind a command of an npm package, to be run with `process.execPath`.
 * @param {string} packageName
 * @param {string} command
 */
export function npmTool(packageName, command) {
  const folder = inRoot('node_modules', packageName);
  if (!existsSync(folder)) throw new Error(`${packageName} is not installed: run \`npm ci\` first`);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}
