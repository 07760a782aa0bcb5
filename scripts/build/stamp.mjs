// Decides whether a build step can be skipped: it can when the files it read and the files it wrote are the same
// as after its last success. Content is compared, not dates, so a checkout or a copy does not force a rebuild.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inRoot, root, scratch } from '../paths.mjs';

/**
 * All files below the given files and folders, sorted; paths that do not exist are left out.
 * @param {string[]} paths relative to the repository
 * @returns {string[]} absolute
 */
export function filesBelow(paths) {
  return paths
    .map((path) => inRoot(path))
    .filter((path) => existsSync(path))
    .flatMap(walk)
    .sort();
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function walk(path) {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.name !== 'target' && entry.name !== 'node_modules')
      .flatMap((entry) => walk(join(path, entry.name)));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOTDIR') return [path];
    throw error;
  }
}

/**
 * One hash over names and contents of files and over extra words, such as a compiler version.
 * @param {string[]} files absolute
 * @param {string[]} [words]
 */
export function fingerprint(files, words = []) {
  const hash = createHash('sha256');
  for (const word of words) hash.update(`${word.length}:${word}\n`);
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} step
 * @returns {{inputs: string, outputs: string} | undefined}
 */
export function readStamp(step) {
  try {
    return JSON.parse(readFileSync(join(scratch, `${step}.json`), 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {string} step
 * @param {{inputs: string, outputs: string}} stamp
 */
export function writeStamp(step, stamp) {
  mkdirSync(scratch, { recursive: true });
  writeFileSync(join(scratch, `${step}.json`), `${JSON.stringify(stamp)}\n`);
}

/** @param {string} step */
export function removeStamp(step) {
  rmSync(join(scratch, `${step}.json`), { force: true });
}
