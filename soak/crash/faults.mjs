// What happens to a server at a random moment. Whatever it is, the server is killed in the end.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fillDisk } from './small-disk.mjs';

/** Writes that are acknowledged before something happens, and while it lasts, at most. */
const MOST_WRITES = 30;
const MOST_DURING = 10;
/** How long after that, so that any work may be under way. */
const LONGEST_PAUSE_MS = 150;
/** How long a fault lasts at most when no write is acknowledged. */
const LONGEST_FAULT_MS = 1_000;
const POLL_MS = 2;
const KIBIBYTE = 1024;
const MEBIBYTE = 2 ** 20;
/** Room on a disk that is called full, and memory that a starved process may still take, at most. */
const LITTLE_ROOM = MEBIBYTE;
const LITTLE_MEMORY = 24 * MEBIBYTE;
/** How far memory grows before the process is killed for it, at most. */
const GROWTH = 64 * MEBIBYTE;

/**
 * @typedef {import('../../scripts/server-process.mjs').ServerProcess} ServerProcess
 * @typedef {import('../../bench/random.mjs').Random} Random
 *
 * @typedef {() => number} Progress how many writes were acknowledged; without end once none is sent any more
 *
 * @typedef {object} Fault
 * @property {string} name
 * @property {readonly string[]} codes of tasks and answers that may fail for it
 * @property {boolean} [onSmallDisk]
 * @property {(server: ServerProcess, random: Random, progress: Progress) => Promise<void>} strike resolves when the server is gone
 */

/**
 * Bytes of memory of a process, by the name of the kernel.
 * @param {number} pid
 * @param {string} name
 */
function memory(pid, name) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * KIBIBYTE;
}

/**
 * Waits for a random moment: some writes, and a little more.
 * @param {Random} random
 * @param {Progress} progress
 */
async function randomMoment(random, progress) {
  const until = progress() + random.between(0, MOST_WRITES);
  const pause = random.between(0, LONGEST_PAUSE_MS);
  while (progress() < until) await delay(POLL_MS);
  await delay(pause);
}

/**
 * Waits while a fault lasts: for some writes, or until the time is over, or `isOver`.
 * @param {Random} random
 * @param {Progress} progress
 * @param {() => boolean} [isOver]
 */
async function during(random, progress, isOver = () => false) {
  const until = progress() + random.between(1, MOST_DURING);
  const end = Date.now() + random.between(5, LONGEST_FAULT_MS);
  while (progress() < until && Date.now() < end && !isOver()) await delay(POLL_MS);
}

/**
 * Kills a server that has to be there still.
 * @param {ServerProcess} server
 */
async function kill(server) {
  if (!server.isRunning()) throw new Error(`the server ended by itself: ${server.output()}`);
  await server.stop('SIGKILL');
}

/** Killed at any moment. @type {Fault} */
const KILL = {
  name: 'kill',
  codes: [],
  strike: async (server, random, progress) => {
    await randomMoment(random, progress);
    await kill(server);
  },
};

/** Killed where its memory grows most, as the kernel does when there is none left. @type {Fault} */
const OUT_OF_MEMORY = {
  name: 'out of memory',
  codes: [],
  strike: async (server, random, progress) => {
    await randomMoment(random, progress);
    const most = memory(server.pid, 'RssAnon') + random.between(1, GROWTH);
    await during(random, progress, () => memory(server.pid, 'RssAnon') > most);
    await kill(server);
  },
};

/** From a moment on, the kernel gives it no more memory. @type {Fault} */
const STARVED = {
  name: 'failed allocations',
  codes: ['internal'],
  strike: async (server, random, progress) => {
    await randomMoment(random, progress);
    const most = memory(server.pid, 'VmData') + random.between(0, LITTLE_MEMORY);
    spawnSync('prlimit', ['--pid', String(server.pid), `--data=${most}`]);
    await during(random, progress, () => !server.isRunning());
    await server.stop('SIGKILL');
  },
};

/** From a moment on, its disk is full; it may get room again before it is killed. @type {Fault} */
const FULL_DISK = {
  name: 'full disk',
  codes: ['no_space_left_on_device'],
  onSmallDisk: true,
  strike: async (server, random, progress) => {
    await randomMoment(random, progress);
    const makeRoom = fillDisk(server.folder, random.between(0, LITTLE_ROOM));
    await during(random, progress);
    const first = random.pick(['kill', 'room']);
    if (first === 'room') {
      makeRoom();
      await randomMoment(random, progress);
    }
    await kill(server);
    if (first === 'kill') makeRoom();
  },
};

const canLimit = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0;

/** The faults that this machine can make, but for the disk, which is tried. */
export const FAULTS = [
  KILL,
  ...(process.platform === 'linux' ? [OUT_OF_MEMORY] : []),
  ...(canLimit ? [STARVED] : []),
  ...(process.platform === 'linux' ? [FULL_DISK] : []),
];

/** What always works. */
export const PLAIN_KILL = KILL;
