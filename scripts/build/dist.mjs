// Makes dist/ from src/ when the sources, the addon's types or a package changed: the bundle that runs and the types
// that users of the package see.
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, npmTool, scratch } from '../paths.mjs';
import { runCommand } from '../run-command.mjs';
import { COMMON_JS, writeBundle } from './bundle.mjs';
import { writeLicences } from './bundled-packages.mjs';
import { keepReachable } from './declarations.mjs';
import { writePage } from './page.mjs';
import { filesBelow, fingerprint, readStamp, removeStamp, writeStamp } from './stamp.mjs';

const SOURCES = [
  'src',
  'page',
  'scripts/build/bundle.mjs',
  'scripts/build/page.mjs',
  'scripts/build/bundled-packages.mjs',
  'scripts/build/declarations.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'native/binding.d.cts',
  'package.json',
  'package-lock.json',
];

/** Names, versions and licences of the npm packages in the bundle, for the check of licences. */
export const BUNDLED_PACKAGES = join(scratch, 'bundled-packages.json');

/**
 * Returns whether anything was compiled. Throws with the compiler's messages when it fails.
 * @param {{force?: boolean}} [options]
 */
export async function buildDist(options = {}) {
  const inputs = fingerprint(filesBelow(SOURCES));
  const stamp = readStamp('dist');
  const current = stamp?.inputs === inputs && stamp.outputs === fingerprint(filesBelow(['dist']));
  if (current && existsSync(inRoot('dist', 'main.js')) && !options.force) return false;

  removeStamp('dist');
  rmSync(inRoot('dist'), { recursive: true, force: true });
  const args = [npmTool('typescript', 'tsc'), '--project', 'tsconfig.build.json'];
  const { code, output } = await runCommand(process.execPath, args, { quiet: true });
  if (code !== 0) throw new Error(`src/ did not compile:\n${output}`);
  const modules = [...(await writeBundle('dist')), ...(await writePage('dist/page'))];
  const packages = writeLicences('dist', modules);
  keepReachable(inRoot('dist', 'types'), 'index.d.ts');
  // The same declarations, read as those of CommonJS because of the package.json beside them.
  cpSync(inRoot('dist', 'types'), inRoot('dist', COMMON_JS, 'types'), { recursive: true });
  writeStamp('dist', { inputs, outputs: fingerprint(filesBelow(['dist'])) });
  writeFileSync(
    BUNDLED_PACKAGES,
    `${JSON.stringify(packages.map(({ name, version, licence }) => ({ name, version, licence })))}\n`,
  );
  return true;
}
