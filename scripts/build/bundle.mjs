// Bundles the server and the embedded API into a few files. The modules of Fastify, zod and their dependencies are
// several hundred files: reading them one by one is most of a cold start. Bundled, the package has no dependency to
// install but the addon of its platform.
import { writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { inRoot } from '../paths.mjs';

/** Name of the written file and its source. */
const ENTRIES = {
  main: 'src/main.ts',
  'http-loop': 'src/http/workers/loop.ts',
  'long-json': 'src/long-json/thread.ts',
  cli: 'src/cli.ts',
  index: 'src/index.ts',
};
/** What programs that use `require` get: the embedded API alone, in one file. */
const REQUIRED = { index: 'src/index.ts' };
/** Their folder inside of the bundle, where files ending in .js are CommonJS. */
export const COMMON_JS = 'cjs';
const ADDON = /\/native\/binding\.cjs$/;

/**
 * Writes the entries and their shared chunks to `folder`.
 * @param {string} folder relative to the repository, one level deep: chunks refer to `../native/binding.cjs`
 * @returns {Promise<string[]>} paths of the modules inside
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
  return modules;
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
