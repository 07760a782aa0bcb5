// Bundles the server and the embedded API into a few files. The modules of Fastify, zod and their dependencies are
// several hundred files: reading them one by one is most of a cold start. Bundled, the package has no dependency to
// install but the addon of its platform.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { inRoot } from '../paths.mjs';

/** Name of the written file and its source. */
const ENTRIES = { main: 'src/main.ts', cli: 'src/cli.ts', index: 'src/index.ts' };
/** What programs that use `require` get: the embedded API alone, in one file. */
const REQUIRED = { index: 'src/index.ts' };
/** Their folder inside of the bundle, where files ending in .js are CommonJS. */
export const COMMON_JS = 'cjs';
const LICENCES = 'THIRD-PARTY-LICENSES.txt';
const ADDON = /\/native\/binding\.cjs$/;

/** @typedef {{name: string, version: string, licence: string, text: string}} BundledPackage */

/**
 * Writes the entries, their shared chunks and the licences of what they contain to `folder`.
 * @param {string} folder relative to the repository, one level deep: chunks refer to `../native/binding.cjs`
 * @returns {Promise<BundledPackage[]>} what of others is inside, by name
 */
export async function writeBundle(folder) {
  const modules = await bundle(ENTRIES, '../native/binding.cjs', {
    dir: inRoot(folder),
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle(REQUIRED, '../../native/binding.cjs', {
    dir: inRoot(folder, COMMON_JS),
    format: 'cjs',
    chunkFileNames: '[name]-[hash].js',
  });
  writeFileSync(inRoot(folder, COMMON_JS, 'package.json'), '{ "type": "commonjs" }\n');
  const packages = bundledPackages(modules);
  writeFileSync(inRoot(folder, LICENCES), licenceText(packages));
  return packages;
}

/**
 * Bundles entries and returns the paths of the modules that are inside.
 * @param {Record<string, string>} entries
 * @param {string} addon where the addon is, seen from the written files
 * @param {import('rolldown').OutputOptions} options
 */
async function bundle(entries, addon, options) {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, inRoot(path)])),
    platform: 'node',
    tsconfig: false,
    plugins: [addonStaysOutside(addon)],
  });
  const { output } = await build.write(options);
  await build.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/**
 * The addon is loaded from where it was built, whichever file of the bundle asks for it.
 * @param {string} id
 */
const addonStaysOutside = (id) => ({
  name: 'addon-stays-outside',
  /** @param {string} source */
  resolveId: (source) =>
    ADDON.test(source) ? { id, external: /** @type {const} */ (true) } : null,
});

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
