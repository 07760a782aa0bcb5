// Installs the Python client that tests drive, in pinned versions and an environment of its own below .build:
// `node scripts/python-client.mjs`. Needed: python3, and its venv module or pip.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot, scratch } from './paths.mjs';
import { runCommand } from './run-command.mjs';

/** Folder of the checks written in Python, and of the pinned versions. */
export const PYTHON_CHECKS = inRoot('__test__', 'clients', 'python');

const REQUIREMENTS = join(PYTHON_CHECKS, 'requirements.txt');
const TIMEOUT_MS = 300_000;

/**
 * @param {string} command
 * @param {string[]} args
 */
const run = (command, args) => runCommand(command, args, { quiet: true, timeoutMs: TIMEOUT_MS });

/** Whether there is a `python3`. */
export async function hasPython() {
  return (await run('python3', ['--version'])).code === 0;
}

/**
 * The interpreter of an environment that holds the client: made once for each list of versions. Throws what went wrong.
 * @returns {Promise<string>}
 */
export async function ensurePythonClient() {
  const versions = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  const folder = join(scratch, 'python-client');
  const python = join(folder, 'bin', 'python');
  const stamp = join(folder, 'versions');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === versions) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  await installInto(folder, python);
  writeFileSync(stamp, versions);
  return python;
}

/**
 * Some systems have a venv module that cannot bring pip along: there the pip of the system installs.
 * @param {string} folder
 * @param {string} python
 */
async function installInto(folder, python) {
  const install = ['install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS];
  const own = await run('python3', ['-m', 'venv', folder]);
  if (own.code === 0) return must(python, ['-m', 'pip', ...install]);
  rmSync(folder, { recursive: true, force: true });
  await must('python3', ['-m', 'venv', '--without-pip', folder]);
  return must('python3', ['-m', 'pip', '--python', python, ...install]);
}

/**
 * @param {string} command
 * @param {string[]} args
 */
async function must(command, args) {
  const { code, output } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensurePythonClient();
}
