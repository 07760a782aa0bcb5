// Installs what tests drive with Python, in pinned versions and environments of their own below .build: the Python
// client, and a server of S3. `node scripts/python-client.mjs`. Needed: python3, and its venv module or pip.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot, scratch } from './paths.mjs';
import { runCommand } from './run-command.mjs';

/** Folder of the checks written in Python, and of the pinned versions. */
export const PYTHON_CHECKS = inRoot('__test__', 'clients', 'python');

/** Folder of the server of S3, and of its pinned versions. */
export const S3_SERVER = inRoot('__test__', 'backup', 'bucket');

const TIMEOUT_MS = 600_000;

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
 * The interpreter of an environment that holds the client. Throws what went wrong.
 * @returns {Promise<string>}
 */
export function ensurePythonClient() {
  return ensureEnvironment('python-client', PYTHON_CHECKS);
}

/**
 * The interpreter of an environment that holds a server of S3. Throws what went wrong.
 * @returns {Promise<string>}
 */
export function ensureS3Server() {
  return ensureEnvironment('python-s3', S3_SERVER);
}

/**
 * Made once for each list of versions.
 * @param {string} name
 * @param {string} from folder of the list
 */
async function ensureEnvironment(name, from) {
  const requirements = join(from, 'requirements.txt');
  const versions = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const folder = join(scratch, name);
  const python = join(folder, 'bin', 'python');
  const stamp = join(folder, 'versions');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === versions) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  await installInto(folder, python, requirements);
  writeFileSync(stamp, versions);
  return python;
}

/**
 * Some systems have a venv module that cannot bring pip along: there the pip of the system installs.
 * @param {string} folder
 * @param {string} python
 * @param {string} requirements
 */
async function installInto(folder, python, requirements) {
  const install = ['install', '--quiet', '--disable-pip-version-check', '-r', requirements];
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
  await ensureS3Server();
}
