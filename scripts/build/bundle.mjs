// Bundles the server and the embedded API into a few files. The modules of Fastify, zod and their dependencies are
// several hundred files: reading them one by one is most of a cold start. Bundled, the package has no dependency to
// install but the addon of its platform.
import { rolldown } from 'rolldown';
import { inRoot } from '../paths.mjs';

/** Name of the written file and its source. */
const ENTRIES = { main: 'src/main.ts', cli: 'src/cli.ts', index: 'src/index.ts' };
const ADDON = /\/native\/binding\.cjs$/;

/**
 * Writes the entries and their shared chunks to `folder`.
 * @param {string} folder relative to the repository, one level deep: chunks refer to `../native/binding.cjs`
 * @returns {Promise<string[]>} paths of the modules inside
 */
export async function writeBundle(folder) {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, inRoot(path)])),
    platform: 'node',
    tsconfig: false,
    plugins: [addonStaysOutside],
  });
  const { output } = await build.write({
    dir: inRoot(folder),
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
  });
  await build.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** The addon is loaded from where it was built, whichever file of the bundle asks for it. */
const addonStaysOutside = {
  name: 'addon-stays-outside',
  /** @param {string} source */
  resolveId: (source) =>
    ADDON.test(source)
      ? { id: '../native/binding.cjs', external: /** @type {const} */ (true) }
      : null,
};
