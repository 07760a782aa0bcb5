// Finds the Chromium that the tests of the web page drive, and installs it from the system's packages where that is
// possible: `node scripts/chromium.mjs`.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from './run-command.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const INSTALL_MINUTES = 10;
const MINUTE_MS = 60_000;

/** The path of an installed Chromium; undefined without one. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Installs Chromium unless there is one; throws with what to do where that is not possible. */
export async function ensureChromium() {
  if (findChromium() !== undefined) return;
  if (process.getuid?.() !== 0) {
    throw new Error(
      'the tests of the web page need Chromium on the PATH: install it, or run as root where apt-get is',
    );
  }
  console.log('installing chromium');
  const timeoutMs = INSTALL_MINUTES * MINUTE_MS;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']]) {
    const { code, output } = await runCommand('apt-get', args, { quiet: true, env, timeoutMs });
    if (code !== 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${output}`);
  }
  if (findChromium() === undefined)
    throw new Error('chromium was installed but is not on the PATH');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureChromium();
}
