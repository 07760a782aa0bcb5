// Keeps, of the declarations that the compiler wrote, those that users of the package reach: the others name packages
// that are bundled and not installed.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Removes the declarations that an entry does not lead to.
 * @param {string} folder of all declarations
 * @param {string} entry relative to the folder
 */
export function keepReachable(folder, entry) {
  const kept = new Set();
  const waiting = [join(folder, entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (kept.has(file)) continue;
    kept.add(file);
    waiting.push(...importsOf(file));
  }
  for (const file of declarationsBelow(folder)) if (!kept.has(file)) rmSync(file);
  removeEmptyFolders(folder);
}

/**
 * The declarations that a declaration imports.
 * @param {string} file
 */
function importsOf(file) {
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?['"](\.[^'"]+)\.js['"]/g);
  return [...found].map(([, path]) => join(dirname(file), `${path}.d.ts`)).filter(existsSync);
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function declarationsBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
}

/** @param {string} folder */
function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}
