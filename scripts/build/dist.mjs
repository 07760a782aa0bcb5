// Compiles src/ to dist/ when the sources, the addon's types or the compiler changed.
import { existsSync, rmSync } from 'node:fs';
import { inRoot, npmTool } from '../paths.mjs';
import { runCommand } from '../run-command.mjs';
import { filesBelow, fingerprint, readStamp, removeStamp, writeStamp } from './stamp.mjs';

const SOURCES = [
  'src',
  'tsconfig.json',
  'tsconfig.build.json',
  'native/binding.d.cts',
  'node_modules/typescript/package.json',
];

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
  writeStamp('dist', { inputs, outputs: fingerprint(filesBelow(['dist'])) });
  return true;
}
