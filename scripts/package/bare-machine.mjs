// A machine with Node and npm and nothing else on its PATH: no compiler, no Rust, no Python.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npmScript } from './npm.mjs';

const WINDOWS = process.platform === 'win32';

/**
 * The environment of such a machine. npm needs a shell to start the command of a package; there is nothing else.
 * @param {string} folder where the links go
 * @returns {NodeJS.ProcessEnv}
 */
export function bareEnvironment(folder) {
  const { SystemRoot = 'C:\\Windows', TEMP, TMPDIR } = process.env;
  const cache = {
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
    npm_config_yes: 'false',
  };
  if (WINDOWS) {
    const PATH = [dirname(process.execPath), join(SystemRoot, 'System32')].join(';');
    return { PATH, SystemRoot, TEMP, TMP: TEMP, USERPROFILE: folder, APPDATA: folder, ...cache };
  }
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  symlinkSync('/bin/sh', join(bin, 'sh'));
  return { PATH: bin, HOME: folder, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...cache };
}

/**
 * @typedef {object} Started
 * @property {() => string} output
 * @property {() => boolean} hasEnded
 * @property {() => Promise<number | null>} stop asks it and all that it started to end, and waits for its exit code
 */

/**
 * Starts `npx ARGS`.
 * @param {string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv}} options
 * @returns {Started}
 */
export function startNpx(args, { cwd, env }) {
  const child = spawn(process.execPath, [npmScript('npx'), ...args], {
    cwd,
    env,
    detached: !WINDOWS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  const stop = async () => {
    if (child.exitCode === null && child.pid !== undefined) {
      if (WINDOWS) spawn('taskkill', ['/pid', String(child.pid), '/t', '/f']);
      else process.kill(-child.pid, 'SIGTERM');
    }
    const [code] = await closed;
    return code;
  };
  return { output: () => output, hasEnded: () => child.exitCode !== null, stop };
}
