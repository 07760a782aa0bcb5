// Holds the lock files to where dependencies may come from, and to the crates that deny.toml bans: what of an audit
// needs no database. Advisories are looked up by the workflow "Audit".
import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { inRoot } from '../paths.mjs';
import { action, PASSED } from './gate.mjs';

const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index';
const NPM = 'https://registry.npmjs.org/';

/** @typedef {{name: string, version: string, source?: string, checksum?: string}} LockedCrate */
/** @typedef {{version?: string, resolved?: string, integrity?: string, link?: boolean, inBundle?: boolean}} LockedPackage */

/**
 * What is wrong with the crates of a lock file: one of a place other than crates.io, without a checksum, or banned.
 * Crates without a source are those of this repository.
 * @param {readonly LockedCrate[]} crates
 * @param {ReadonlySet<string>} banned
 */
export function crateProblems(crates, banned) {
  return crates.flatMap(({ name, version, source, checksum }) => [
    ...(source === undefined || source === CRATES_IO ? [] : [`${name} ${version} is of ${source}`]),
    ...(source === CRATES_IO && !checksum ? [`${name} ${version} has no checksum`] : []),
    ...(banned.has(name) ? [`${name} ${version} is banned by deny.toml`] : []),
  ]);
}

/**
 * What is wrong with the packages of a lock file: one of a place other than the registry, or without a strong hash.
 * One without a place is of the registry that npm is set to.
 * @param {Readonly<Record<string, LockedPackage>>} packages by path
 */
export function packageProblems(packages) {
  return Object.entries(packages)
    .filter(([path, { link, inBundle }]) => path.startsWith('node_modules/') && !link && !inBundle)
    .flatMap(([path, { resolved = NPM, integrity = '' }]) => [
      ...(resolved.startsWith(NPM) ? [] : [`${path} is of ${resolved}`]),
      ...(/^sha512-/.test(integrity) ? [] : [`${path} has no SHA-512`]),
    ]);
}

/**
 * Dependencies of a manifest that name no version.
 * @param {string} path
 */
function wildcards(path) {
  const { workspace, dependencies } = /** @type {Record<string, any>} */ (manifest(path));
  const all = { ...workspace?.dependencies, ...dependencies };
  return Object.entries(all)
    .filter(([, wanted]) => wanted === '*' || wanted?.version === '*')
    .map(([name]) => `${path}: ${name} may be of any version`);
}

/** @param {string} path */
const manifest = (path) => parse(readFileSync(inRoot(path), 'utf8'));

/** @param {string} path @returns {LockedCrate[]} */
const cratesOf = (path) => /** @type {any} */ (manifest(path)).package;

export const dependenciesGate = action('dependencies', async () => {
  const { bans } = /** @type {any} */ (manifest('deny.toml'));
  /** @type {Set<string>} */
  const banned = new Set(bans.deny.map((/** @type {{crate: string}} */ { crate }) => crate));
  const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'));
  const crates = cratesOf('Cargo.lock');
  const fuzzing = cratesOf('fuzz/Cargo.lock');
  const problems = [
    ...crateProblems([...crates, ...fuzzing], banned),
    ...packageProblems(packages),
    ...wildcards('Cargo.toml'),
    ...wildcards('fuzz/Cargo.toml'),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const total = crates.length + Object.keys(packages).length;
  console.log(`${total} locked dependencies, all from their registries with checksums`);
  return PASSED;
});
