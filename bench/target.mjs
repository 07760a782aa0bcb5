// The server under measurement: one that the harness starts in a folder of its own, or one that runs already (--url).
import { startServer } from '../scripts/server-process.mjs';
import { listeningProcess } from './process-usage.mjs';

const POLL_FIRST_MS = 2;
const POLL_LAST_MS = 100;

/**
 * @typedef {import('../scripts/server-process.mjs').ServerProcess} ServerProcess
 *
 * @typedef {object} TargetOptions
 * @property {string} [url]
 * @property {string} [key]
 * @property {string} [dataFolder] of a server that runs already, for its size on disk
 * @property {string} [folder] existing folder for a server of our own; kept afterwards
 * @property {string[]} [args] further arguments of a server of our own
 */

export class Target {
  /** @type {URL} */
  url;
  /** @type {string | undefined} */
  key;
  /** @type {string | undefined} */
  dataFolder;
  /** @type {number | null} */
  pid;
  /** @type {ServerProcess | undefined} */
  #own;
  /** @type {string[]} */
  #args;

  /**
   * @param {TargetOptions} options
   * @param {ServerProcess} [own]
   */
  constructor(options, own) {
    this.url = new URL(own?.url ?? options.url ?? '');
    this.key = options.key;
    this.dataFolder = own?.dataFolder ?? options.dataFolder;
    this.pid = own?.pid ?? listeningProcess(Number(this.url.port || 80));
    this.#own = own;
    this.#args = options.args ?? [];
  }

  /**
   * @param {TargetOptions} options
   */
  static async open(options) {
    if (options.url !== undefined) return new Target(options);
    const folder = options.folder === undefined ? {} : { folder: options.folder };
    return new Target(options, await startServer({ ...folder, args: options.args ?? [] }));
  }

  /** Whether the harness may stop and start it. */
  get isOwn() {
    return this.#own !== undefined;
  }

  /**
   * Starts a server of our own again on the same data; returns the moment just before.
   * @param {() => void} [meanwhile] called while no server runs
   */
  async restart(meanwhile) {
    const before = this.#own;
    if (!before) throw new Error('only a server of our own can be restarted');
    await before.stop();
    meanwhile?.();
    const started = performance.now();
    const own = await startServer({ folder: before.folder, args: this.#args });
    // The first server made the folder and so removes it.
    this.#own = { ...own, remove: () => own.stop().then(before.remove) };
    this.url = new URL(own.url);
    this.pid = own.pid;
    return started;
  }

  async close() {
    await this.#own?.remove();
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body] sent as JSON; a Buffer goes as NDJSON
   * @returns {Promise<any>}
   */
  async call(method, path, body) {
    const ndjson = Buffer.isBuffer(body);
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: {
        ...(this.key ? { authorization: `Bearer ${this.key}` } : {}),
        ...(body === undefined
          ? {}
          : { 'content-type': ndjson ? 'application/x-ndjson' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: ndjson ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /**
   * Follows the task of an acknowledgement to its end; a task that fails is an error.
   * @param {Promise<{taskUid: number}>} acknowledgement
   */
  async done(acknowledgement) {
    const { taskUid } = await acknowledgement;
    for (let pause = POLL_FIRST_MS; ; pause = Math.min(pause * 1.4, POLL_LAST_MS)) {
      const task = await this.call('GET', `/tasks/${taskUid}`);
      if (task.status === 'succeeded') return task;
      if (task.status !== 'enqueued' && task.status !== 'processing') {
        throw new Error(`task ${taskUid} ${task.status}: ${task.error?.message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
