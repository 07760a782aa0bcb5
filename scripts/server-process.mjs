// Starts the built server as a process of its own on a free port and a fresh data folder: for tests and measurements
// that need the real thing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from './paths.mjs';

const MAIN = inRoot('dist', 'main.js');
/** Only a server that hangs takes so long, however busy the machine is. */
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 120_000;

/**
 * @typedef {object} ServerProcess
 * @property {string} url
 * @property {number} pid
 * @property {string} folder working folder of the server
 * @property {string} dataFolder
 * @property {() => string} output what the server printed so far
 * @property {() => number | null} exitCode of the process; null while it runs, or when a signal ended it
 * @property {() => boolean} isRunning
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop ends the process, keeps the folder
 * @property {() => Promise<void>} remove ends the process and removes the folder, unless the caller gave it
 *
 * @typedef {object} ServerOptions
 * @property {string} [masterKey]
 * @property {string} [folder] an existing folder, to start again on the same data
 * @property {string[]} [args]
 * @property {number} [port] any free one when absent
 * @property {Record<string, string>} [env] further variables
 * @property {import('node:tls').SecureContextOptions} [tls] that it is told to encrypt connections, and how clients show themselves
 */

/** A port that was free a moment ago. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Resolves when the server answers /health.
 * @param {ServerOptions} [options]
 * @returns {Promise<ServerProcess>}
 */
export async function startServer(options = {}) {
  if (!existsSync(MAIN)) throw new Error('dist/ is not built: run `npm run build` first');
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'serval-')));
  const dataFolder = join(folder, 'data.sv');
  const address = `127.0.0.1:${options.port ?? (await freePort())}`;
  const args = [MAIN, '--http-addr', address, '--db-path', dataFolder, ...(options.args ?? [])];
  if (options.masterKey) args.push('--master-key', options.masterKey);
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const env = { ...Object.fromEntries(inherited), ...options.env };
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  const url = `${options.tls ? 'https' : 'http'}://${address}`;

  const isRunning = () => child.exitCode === null && child.signalCode === null;
  /** @param {NodeJS.Signals} [signal] */
  const stop = async (signal = 'SIGTERM') => {
    process.off('exit', kill);
    if (!isRunning()) return;
    const timer = setTimeout(kill, STOP_TIMEOUT_MS);
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
    clearTimeout(timer);
  };
  const kill = () => child.kill('SIGKILL');
  const remove = async () => {
    await stop();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  };
  process.once('exit', kill);

  try {
    await healthy(url, child, options);
  } catch (error) {
    await remove();
    throw new Error(`the server did not start: ${error}\n${output}`);
  }
  return {
    url,
    pid: child.pid ?? 0,
    folder,
    dataFolder,
    output: () => output,
    exitCode: () => child.exitCode,
    isRunning,
    stop,
    remove,
  };
}

/**
 * @param {string} url
 * @param {import('node:child_process').ChildProcess} child
 * @param {ServerOptions} options
 */
async function healthy(url, child, options) {
  for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end; ) {
    const { exitCode, signalCode } = child;
    if (exitCode !== null || signalCode !== null) {
      throw new Error(`it exited with ${exitCode ?? signalCode}`);
    }
    if (await isHealthy(url, options.tls)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`no answer within ${START_TIMEOUT_MS} ms`);
}

/**
 * Whether the server answers; whose certificate it shows does not matter here.
 * @param {string} url
 * @param {ServerOptions['tls']} [tls]
 * @returns {Promise<boolean>}
 */
function isHealthy(url, tls) {
  const get = url.startsWith('https') ? httpsGet : httpGet;
  return new Promise((resolve) => {
    get(`${url}/health`, { rejectUnauthorized: false, agent: false, ...tls }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}
