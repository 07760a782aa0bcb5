// `npm run soak -- crash`: random writes to a server to which something happens at random moments, and after each
// restart everything it acknowledged is compared with a model: nothing lost, nothing twice, nothing half, no files
// left behind. Each round has a folder and a seed of its own, so that one can be done again.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../bench/random.mjs';
import { Target } from '../../bench/target.mjs';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { compareIndexes, leftOver, waitingFiles } from './check.mjs';
import { FAULTS, PLAIN_KILL } from './faults.mjs';
import { Ledger } from './ledger.mjs';
import { settle, writeUntilGone } from './life.mjs';
import { smallDisk } from './small-disk.mjs';

const MOST_LIVES = 3;
const DISK = '96m';
/** Share of restarts after which the queue is left as it is, so that the next fault meets a long one. */
const UNCHECKED = 0.3;

/**
 * @typedef {import('./faults.mjs').Fault} Fault
 * @typedef {import('./life.mjs').Known} Known
 *
 * @typedef {object} Rounds
 * @property {number} rounds
 * @property {number} seed of the first; each further one has the next
 * @property {readonly string[]} [faults] names of those that may strike; all that can be made here when absent
 * @property {(line: string) => void} [log]
 *
 * @typedef {object} Round
 * @property {number} seed
 * @property {string} folder
 * @property {string} what happened
 * @property {number} writes
 * @property {string[]} wrong in sentences
 */

/** Whether a small disk can be made here; asked once. @type {boolean | undefined} */
let canMount;

function mayMount() {
  if (canMount !== undefined) return canMount;
  const folder = mkdtempSync(join(tmpdir(), 'serval-disk-'));
  const unmount = smallDisk(folder, '1m');
  unmount?.();
  rmSync(folder, { recursive: true, force: true });
  canMount = unmount !== undefined;
  return canMount;
}

/**
 * One folder, one to three lives, and then the whole comparison. What is wrong is in the result; a copy of the folder
 * stays when something is.
 * @param {number} seed
 * @param {readonly string[]} [names] of faults
 * @returns {Promise<Round>}
 */
export async function crashRound(seed, names) {
  const random = new Random(seed);
  const possible = FAULTS.filter(({ onSmallDisk }) => !onSmallDisk || mayMount());
  const fault = random.pick(possible.filter(({ name }) => names?.includes(name) ?? true));
  const folder = mkdtempSync(join(tmpdir(), 'serval-crash-'));
  const unmount = fault.onSmallDisk ? smallDisk(folder, DISK) : undefined;
  const round = new CrashRound(random, fault, folder);
  /** @type {string[]} */
  let wrong;
  try {
    wrong = await round.run();
  } catch (error) {
    wrong = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
  const what = `${fault.name}, ${round.lives} lives`;
  const { operations } = round.known;
  const kept = `${folder}-kept`;
  if (wrong.length > 0) {
    cpSync(folder, kept, { recursive: true });
    const writes = operations.map(({ apply: _, ...operation }, uid) => ({ uid, ...operation }));
    writeFileSync(join(kept, 'writes.json'), JSON.stringify(writes, null, 1));
  }
  unmount?.();
  rmSync(folder, { recursive: true, force: true });
  return { seed, folder: kept, what, writes: operations.length, wrong };
}

class CrashRound {
  /** @type {Known} */
  known = { operations: [], unanswered: undefined };
  lives;
  #ledger = new Ledger();
  #random;
  #fault;
  #folder;

  /**
   * @param {Random} random
   * @param {Fault} fault
   * @param {string} folder
   */
  constructor(random, fault, folder) {
    this.#random = random;
    this.#fault = fault;
    this.#folder = folder;
    this.lives = random.between(1, MOST_LIVES);
  }

  async run() {
    for (let nth = 0; nth < this.lives; nth += 1) {
      const wrong = await this.#live(nth);
      if (wrong.length > 0) return wrong;
    }
    const server = await startServer({ folder: this.#folder });
    try {
      await settle(server, this.known);
      const wrong = await this.#compare(server);
      await server.stop();
      wrong.push(...(await this.#compareStopped()));
      return wrong;
    } finally {
      await server.stop('SIGKILL');
    }
  }

  /**
   * Starts, compares, is written to, and ends.
   * @param {number} nth
   */
  async #live(nth) {
    const server = await startServer({ folder: this.#folder });
    try {
      await settle(server, this.known);
      const features = { editDocumentsByFunction: true };
      await new Target({}, server).call('PATCH', '/experimental-features', features);
      if (nth > 0 && this.#random.next() >= UNCHECKED) {
        const wrong = await this.#compare(server);
        if (wrong.length > 0) return wrong;
      }
      const fault = this.#fault.onSmallDisk || nth > 0 ? this.#fault : PLAIN_KILL;
      const writing = writeUntilGone(server.url, this.#random, this.known, fault.codes);
      let isWriting = true;
      const stopped = () => {
        isWriting = false;
      };
      // A failure is thrown where it is awaited.
      writing.then(stopped, stopped);
      const progress = () => (isWriting ? this.known.operations.length : Number.POSITIVE_INFINITY);
      // Moments are chosen apart from writes: how many of those there are depends on the machine.
      const moments = new Random(this.#random.between(0, 2 ** 31));
      await fault.strike(server, moments, progress);
      await writing;
      return [];
    } finally {
      await server.stop('SIGKILL');
    }
  }

  /** @param {import('../../scripts/server-process.mjs').ServerProcess} server */
  async #compare(server) {
    const target = new Target({}, server);
    const wrong = await this.#ledger.add(target, this.known.operations, this.#fault.codes);
    wrong.push(...(await compareIndexes(target, this.#ledger.model)));
    wrong.push(...waitingFiles(server.dataFolder));
    return wrong;
  }

  /** Opened once more without a write, an index holds nothing but what its commit names; no file is damaged. */
  async #compareStopped() {
    const server = await startServer({ folder: this.#folder });
    const wrong = await compareIndexes(new Target({}, server), this.#ledger.model);
    await server.stop();
    wrong.push(...leftOver(server.dataFolder, this.#ledger.model.size));
    const check = [inRoot('dist', 'cli.js'), 'check', '--db-path', server.dataFolder];
    const { status, stdout, stderr } = spawnSync(process.execPath, check, { encoding: 'utf8' });
    if (status !== 0) wrong.push(`serval check: ${stdout}${stderr}`);
    return wrong;
  }
}

/**
 * Runs so many rounds; those in which something was wrong. None is the aim.
 * @param {Rounds} options
 */
export async function crashRounds({ rounds, seed, faults, log = () => undefined }) {
  const bad = [];
  let writes = 0;
  for (let nth = 0; nth < rounds; nth += 1) {
    const round = await crashRound(seed + nth, faults);
    writes += round.writes;
    const result = round.wrong.length === 0 ? 'right' : `WRONG ${round.wrong.join('\n')}`;
    log(
      `round ${nth + 1} of ${rounds}, seed ${round.seed}, ${round.what}: ${round.writes} writes, ${result}`,
    );
    if (round.wrong.length > 0) bad.push(round);
  }
  return { writes, bad, canFillDisk: mayMount() };
}
