// `npm run soak -- indexes`: more indexes than may be awake, under clients that each compare what they read with a model;
// the server is killed again and again. What open indexes cost is watched from outside.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../bench/random.mjs';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { leftOver } from '../crash/check.mjs';
import { Connection } from './connection.mjs';
import { compareAll, forAll, workUntilKilled } from './life.mjs';
import { Model } from './model.mjs';
import { CostWatch, describeCost } from './open-files.mjs';
import { statistics } from './reads-of-many.mjs';
import { settle } from './settle.mjs';
import { firstWrite } from './writes.mjs';

const SECOND_MS = 1_000;
const SHORTEST_LIFE_MS = 3 * SECOND_MS;
const LONGEST_LIFE_MS = 15 * SECOND_MS;
/** Memory that searches may take: so little that they forget all the time, and what the server takes by itself. */
const SEARCH_MEMORY = [['--max-search-memory', '2MiB'], []];

/**
 * @typedef {object} Options
 * @property {number} indexes
 * @property {number} seconds in which clients work, all lives together
 * @property {number} seed
 * @property {number} [port]
 * @property {(line: string) => void} [log]
 *
 * @typedef {import('../../scripts/server-process.mjs').ServerProcess} ServerProcess
 */

class IndexesRun {
  #random;
  #model;
  #options;
  #log;
  #folder = mkdtempSync(join(tmpdir(), 'serval-indexes-'));
  /** @type {Connection | undefined} to the server before */
  #before;
  lives = 0;

  /** @param {Options} options */
  constructor({ log = () => undefined, ...options }) {
    this.#random = new Random(options.seed);
    this.#model = new Model(options.indexes);
    this.#options = options;
    this.#log = log;
  }

  get folder() {
    return this.#folder;
  }

  /** Lives until the time is over, then one without a kill; what is wrong. */
  async run() {
    for (let leftMs = this.#options.seconds * SECOND_MS; leftMs > 0; ) {
      const longest = Math.min(LONGEST_LIFE_MS, leftMs);
      const ms = Math.min(leftMs, this.#random.between(SHORTEST_LIFE_MS, longest));
      leftMs -= ms;
      const wrong = await this.#live((process, server) =>
        workUntilKilled(process, server, this.#model, this.#random, ms),
      );
      if (wrong.length > 0) return wrong;
    }
    return [...(await this.#live((process) => process.stop())), ...(await this.#compareStopped())];
  }

  /**
   * Starts, compares, or fills if it is the first time, and does something that ends the server.
   * @param {(process: ServerProcess, server: Connection) => Promise<void>} work
   */
  async #live(work) {
    const random = this.#random;
    const memory = random.pick(SEARCH_MEMORY);
    const args = ['--http-workers', String(random.between(1, 2)), ...memory];
    const { port } = this.#options;
    const folder = this.#folder;
    const process = await startServer({ folder, args, ...(port === undefined ? {} : { port }) });
    const watch = new CostWatch(process.pid);
    const server = new Connection(process.url, this.#model);
    try {
      await (this.#before === undefined ? this.#fill(server) : settle(this.#before, server));
      await compareAll(server, this.#model, random);
      await server.read(statistics(this.#model.names, this.#model, random));
      this.#before = server;
      if (server.wrong.length === 0) await work(process, server);
    } finally {
      await watch.stop();
      await process.stop('SIGKILL');
    }
    this.lives += 1;
    const done = [...server.counts].map(([name, count]) => `${count} ${name}`).join(', ');
    this.#log(`life ${this.lives}, ${args.join(' ')}: ${done}`);
    this.#log(`  ${describeCost(watch.most)}`);
    return [...server.wrong, ...watch.wrong()];
  }

  /** Writes to all indexes in turn. @param {Connection} server */
  async #fill(server) {
    const body = { editDocumentsByFunction: true };
    await server.send({ method: 'PATCH', path: '/experimental-features', body });
    await forAll(this.#model.names, (uid) =>
      server.write([firstWrite(uid, this.#random, this.#model)]),
    );
  }

  /** Opened once more without a write, an index holds nothing but what its commit names; no file is damaged. */
  async #compareStopped() {
    const process = await startServer({ folder: this.#folder });
    const server = new Connection(process.url, this.#model);
    try {
      await compareAll(server, this.#model, this.#random);
    } finally {
      await process.stop();
    }
    const wrong = [...server.wrong, ...leftOver(process.dataFolder, this.#model.indexes.size)];
    const check = [inRoot('dist', 'cli.js'), 'check', '--db-path', process.dataFolder];
    const { status, stdout, stderr } = spawnSync(globalThis.process.execPath, check, {
      encoding: 'utf8',
    });
    if (status !== 0) wrong.push(`serval check: ${stdout}${stderr}`);
    return wrong;
  }
}

/**
 * Runs for so long; what is wrong in the end, in sentences.
 * @param {Options} options
 */
export async function indexesRun(options) {
  const run = new IndexesRun(options);
  const wrong = await run.run();
  return { wrong, figures: { lives: run.lives }, folder: run.folder };
}
