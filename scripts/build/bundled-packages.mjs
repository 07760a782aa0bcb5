// Whose code is in the bundles, and under which licences: the text that ships with them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inRoot } from '../paths.mjs';

const LICENCES = 'THIRD-PARTY-LICENSES.txt';

/** @typedef {{name: string, version: string, licence: string, text: string}} BundledPackage */

/**
 * Writes the licences of the packages that the modules belong to.
 * @param {string} folder relative to the repository
 * @param {string[]} modules absolute paths
 * @returns {BundledPackage[]} the packages by name
 */
export function writeLicences(folder, modules) {
  const packages = bundledPackages(modules);
  writeFileSync(inRoot(folder, LICENCES), licenceText(packages));
  return packages;
}

/**
 * The npm packages that the modules belong to.
 * @param {string[]} modules absolute paths
 * @returns {BundledPackage[]}
 */
function bundledPackages(modules) {
  const folders = new Set(modules.filter(isInstalled).map(packageFolder));
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      );
      return { name, version, licence: String(license ?? ''), text: licenceFile(folder) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param {string} path */
const isInstalled = (path) => path.includes('/node_modules/') && !path.startsWith('\0');

/**
 * The nearest folder above with a package.json that has a name: packages keep further ones in their subfolders.
 * @param {string} path
 */
function packageFolder(path) {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version) return folder;
  }
}

/** @param {string} folder */
function licenceFile(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
}

/** @param {BundledPackage[]} packages */
function licenceText(packages) {
  const parts = packages.map(
    ({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}\n`,
  );
  return `Serval contains the following packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
