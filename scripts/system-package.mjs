// Installs packages of the system where that is possible: as root, where there is apt-get.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from './run-command.mjs';

const INSTALL_MINUTES = 10;
const MINUTE_MS = 60_000;

/**
 * The path of the first of some commands that is on the `PATH`; undefined without one.
 * @param {readonly string[]} commands
 */
export function findCommand(commands) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return commands.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
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

/** Whether this process may install packages of the system. */
export const canInstall = () => process.getuid?.() === 0 && findCommand(['apt-get']) !== undefined;

/**
 * Installs a package; throws with the output of what failed.
 * @param {string} name
 */
export async function installPackage(name) {
  console.log(`installing ${name}`);
  const timeoutMs = INSTALL_MINUTES * MINUTE_MS;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', name]]) {
    const { code, output } = await runCommand('apt-get', args, { quiet: true, env, timeoutMs });
    if (code !== 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${output}`);
  }
}
