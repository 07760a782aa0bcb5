// What open indexes cost a process, as the kernel says, and how much of it there may be.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { readGauges } from '../load/gauges.mjs';

const LOOK_EVERY_MS = 500;
const LOCK = '.tantivy-writer.lock';

/**
 * @typedef {object} Cost
 * @property {number} writers indexes whose writer is open: each holds the lock of its folder
 * @property {number} awake indexes with files in memory
 * @property {number} mappings of files of indexes
 * @property {number} threads
 * @property {number} handles
 * @property {number} anonymousMiB memory that no file stands behind
 */

/**
 * More than this is wrong, however many indexes there are. Eight writers stay open and 400 indexes awake; beside them
 * are those at work, and those that are merged. Threads, handles and memory are counted from the start of the process:
 * what it has then, and what threads for each processor begin later, depends on the machine.
 * @type {Cost}
 */
export const MOST = {
  writers: 16,
  awake: 416,
  mappings: 50_000,
  threads: 48 + 4 * availableParallelism(),
  handles: 96,
  anonymousMiB: 384,
};

/** @param {string} path */
function linkTo(path) {
  try {
    return readlinkSync(path);
  } catch {
    // Closed since the folder was read.
    return '';
  }
}

/**
 * @param {number} pid
 * @returns {Cost}
 */
export function readCost(pid) {
  const { threads, handles, anonymousMiB } = readGauges(pid);
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => linkTo(`/proc/${pid}/fd/${name}`));
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
  const mapped = [...maps.matchAll(/\/indexes\/([0-9a-f-]{36})\//g)].map(([, folder]) => folder);
  return {
    writers: links.filter((link) => link.endsWith(LOCK)).length,
    awake: new Set(mapped).size,
    mappings: mapped.length,
    threads,
    handles,
    anonymousMiB,
  };
}

/**
 * The highest of each.
 * @param {Cost} one
 * @param {Cost} other
 * @returns {Cost}
 */
const highest = (one, other) => ({
  writers: Math.max(one.writers, other.writers),
  awake: Math.max(one.awake, other.awake),
  mappings: Math.max(one.mappings, other.mappings),
  threads: Math.max(one.threads, other.threads),
  handles: Math.max(one.handles, other.handles),
  anonymousMiB: Math.max(one.anonymousMiB, other.anonymousMiB),
});

/** Looks at a process again and again, until it is told to stop or the process is gone. */
export class CostWatch {
  /** @type {Cost} at most, since it began */
  most = { writers: 0, awake: 0, mappings: 0, threads: 0, handles: 0, anonymousMiB: 0 };
  #start;
  #isOver = false;
  /** @type {Promise<void>} */
  #watching;

  /** @param {number} pid of a process that has just been started */
  constructor(pid) {
    this.#start = readCost(pid);
    this.#watching = this.#watch(pid);
  }

  /** @param {number} pid */
  async #watch(pid) {
    while (!this.#isOver) {
      try {
        this.most = highest(this.most, readCost(pid));
      } catch {
        // Killed in between.
        return;
      }
      await delay(LOOK_EVERY_MS);
    }
  }

  async stop() {
    this.#isOver = true;
    await this.#watching;
  }

  /** What was too much, in sentences. */
  wrong() {
    return tooMuch(this.most, this.#start);
  }
}

/**
 * What of a cost is too much, in sentences.
 * @param {Cost} cost at most
 * @param {Cost} start that of the process when it had started
 */
export function tooMuch(cost, start) {
  const beyond = {
    ...cost,
    threads: cost.threads - start.threads,
    handles: cost.handles - start.handles,
    anonymousMiB: cost.anonymousMiB - start.anonymousMiB,
  };
  return Object.entries(MOST).flatMap(([name, most]) => {
    const value = beyond[/** @type {keyof Cost} */ (name)];
    return value > most ? [`${name}: ${value.toFixed(0)} where ${most} are the most`] : [];
  });
}

/** @param {Cost} cost */
export const describeCost = ({ writers, awake, mappings, threads, handles, anonymousMiB }) =>
  `at most ${writers} writers, ${awake} indexes awake with ${mappings} mappings, ${threads} threads, ` +
  `${handles} handles, ${anonymousMiB.toFixed(0)} MiB`;
