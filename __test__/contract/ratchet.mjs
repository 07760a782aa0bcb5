// The list of cases that pass today (expected.json). A listed case that fails is an error; a case that passes and is
// not listed is news, to be added. The list never shrinks by itself.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { here } from './case-files.mjs';

const FILE = join(here, 'expected.json');

/**
 * The listed ids: the file keeps names by area and file, one case a line, so that changes read well.
 * @returns {Set<string>}
 */
export function readExpected() {
  /** @type {Record<string, string[]>} */
  const byFile = JSON.parse(readFileSync(FILE, 'utf8'));
  return new Set(
    Object.entries(byFile).flatMap(([file, names]) => names.map((name) => `${file}: ${name}`)),
  );
}

/**
 * Writes the list in the order of the cases. Ids that no case has any more are dropped.
 * @param {Set<string>} expected
 * @param {import('./case-files.mjs').Case[]} allCases
 */
export function writeExpected(expected, allCases) {
  /** @type {Record<string, string[]>} */
  const byFile = {};
  for (const { id, file } of allCases) {
    if (!expected.has(id)) continue;
    byFile[file] ??= [];
    byFile[file].push(id.slice(`${file}: `.length));
  }
  writeFileSync(FILE, `${JSON.stringify(byFile, null, 2)}\n`);
}

/**
 * @param {Set<string>} expected
 * @param {string[]} played ids
 * @param {Set<string>} failed ids
 */
export function judge(expected, played, failed) {
  return {
    broken: played.filter((id) => expected.has(id) && failed.has(id)),
    gained: played.filter((id) => !expected.has(id) && !failed.has(id)),
    held: played.filter((id) => expected.has(id) && !failed.has(id)),
    missing: played.filter((id) => !expected.has(id) && failed.has(id)),
  };
}
