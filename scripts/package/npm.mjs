// Calls the npm that came with this Node, without a shell: npm.cmd of Windows cannot be started without one.
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The script behind `npm` or `npx`, to be run with `process.execPath`.
 * @param {'npm' | 'npx'} name
 */
export function npmScript(name) {
  const file = `${name}-cli.js`;
  const own = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', file);
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'npm'))
    .filter((path) => process.platform !== 'win32' && existsSync(path))
    .map((path) => join(dirname(realpathSync(path)), file));
  const script = [own, ...onPath].find((path) => existsSync(path));
  if (script === undefined) throw new Error('npm was not found on the PATH');
  return script;
}

/**
 * Runs npm to its end and returns what it wrote to standard output. Errors are told whatever the npm that runs this was
 * asked to tell.
 * @param {string[]} args
 * @param {{cwd: string, env?: NodeJS.ProcessEnv}} options
 */
export async function npm(args, { cwd, env = process.env }) {
  const options = { cwd, env, maxBuffer: 1 << 26 };
  const told = [npmScript('npm'), '--loglevel=error', ...args];
  const { stdout } = await run(process.execPath, told, options);
  return stdout;
}
