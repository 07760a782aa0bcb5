// Finds the Chromium that the tests of the web page drive, and installs it from the system's packages where that is
// possible: `node scripts/chromium.mjs`.
import { pathToFileURL } from 'node:url';
import { canInstall, findCommand, installPackage } from './system-package.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The path of an installed Chromium; undefined without one. */
export const findChromium = () => findCommand(NAMES);

/** Installs Chromium unless there is one; throws with what to do where that is not possible. */
export async function ensureChromium() {
  if (findChromium() !== undefined) return;
  if (!canInstall()) {
    throw new Error(
      'the tests of the web page need Chromium on the PATH: install it, or run as root where apt-get is',
    );
  }
  await installPackage('chromium');
  if (findChromium() === undefined)
    throw new Error('chromium was installed but is not on the PATH');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureChromium();
}
