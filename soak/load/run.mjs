// `npm run soak -- load`: a server under a steady mix of everything for an hour or more, watched from outside. What
// grows without end is found so: memory, handles, files, the history of tasks.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDataset } from '../../bench/dataset.mjs';
import { percentile } from '../../bench/numbers.mjs';
import { makeQueries } from '../../bench/query-classes.mjs';
import { Random } from '../../bench/random.mjs';
import { sampleDataset } from '../../bench/sample.mjs';
import { Target } from '../../bench/target.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { leftOver } from '../crash/check.mjs';
import { Exchanges } from './exchange.mjs';
import { INDEXES, loadFilms, readFilms } from './films.mjs';
import { readFiles, readGauges } from './gauges.mjs';
import { atRate } from './pace.mjs';
import { someRead } from './reads.mjs';
import { describe, judge } from './verdict.mjs';
import { CHORES, someWrite } from './writes.mjs';

const SECOND_MS = 1000;
const SAMPLE_EVERY_MS = 5 * SECOND_MS;
const MOST_UNDER_WAY = 64;
/** Shares of the reads over a connection of their own, and of those that the client breaks off. */
const OWN_CONNECTION = 0.05;
const BROKEN_OFF = 0.02;
const LONGEST_WAIT_MS = 20;

/**
 * @typedef {object} Options
 * @property {number} minutes
 * @property {number} reads a second
 * @property {number} writes a second
 * @property {number} films in each index
 * @property {number} seed
 * @property {number} [secondsPerMinute] shorter minutes, to try the harness
 * @property {number} [port]
 * @property {(line: string) => void} [log]
 *
 * @typedef {import('./verdict.mjs').Minute} Minute
 * @typedef {import('./reads.mjs').Call} Call
 */

/** Counts what happened since the last minute, and what should not have happened at all. */
class Tally {
  /** @type {number[]} */
  #latencies = [];
  #writes = 0;
  /** @type {Set<string>} */
  failures = new Set();
  nFailures = 0;

  /** @param {number} ms */
  read(ms) {
    this.#latencies.push(ms);
  }

  wrote() {
    this.#writes += 1;
  }

  /** @param {string} failure */
  failed(failure) {
    this.nFailures += 1;
    if (this.failures.size < 20) this.failures.add(failure);
  }

  /** What was counted; counting begins again. */
  take() {
    const latencies = this.#latencies;
    const writes = this.#writes;
    this.#latencies = [];
    this.#writes = 0;
    return {
      reads: latencies.length,
      writes,
      p50Ms: percentile(latencies, 50),
      p99Ms: percentile(latencies, 99),
    };
  }
}

/** The traffic on one server. */
class Load {
  /**
   * @param {Exchanges} exchanges
   * @param {import('./writes.mjs').Source} source
   * @param {Tally} tally
   */
  constructor(exchanges, source, tally) {
    this.exchanges = exchanges;
    this.source = source;
    this.tally = tally;
  }

  async read() {
    const { random } = this.source;
    const call = someRead(this.source);
    const breakOff =
      random.next() < BROKEN_OFF ? { breakOff: random.between(0, LONGEST_WAIT_MS) } : {};
    const ownConnection = random.next() < OWN_CONNECTION;
    const started = performance.now();
    const status = await this.#send({ ...call, ownConnection, ...breakOff });
    if (status !== 0) this.tally.read(performance.now() - started);
  }

  async write() {
    await this.#send(someWrite(this.source));
    this.tally.wrote();
  }

  /**
   * Does a chore again and again.
   * @param {import('./writes.mjs').Chore} chore
   * @param {AbortSignal} end
   */
  async repeat({ everySeconds, calls }, end) {
    for (let nth = 0; !end.aborted; nth += 1) {
      // The first time comes early, so that short runs have all kinds.
      const pause = nth === 0 ? everySeconds / 4 : everySeconds;
      await delay(pause * SECOND_MS, undefined, { signal: end }).catch(() => undefined);
      if (end.aborted) return;
      for (const call of calls(this.source, nth)) {
        await this.#send(call);
        this.tally.wrote();
      }
    }
  }

  /** @param {Call & {ownConnection?: boolean, breakOff?: number}} call */
  async #send(call) {
    const what = `${call.method} ${call.path}`;
    try {
      const { status, text } = await this.exchanges.send(call);
      const isRight = (status >= 200 && status < 300) || call.alsoRight?.includes(status);
      if (status !== 0 && !isRight) this.tally.failed(`${what}: ${status} ${text.slice(0, 200)}`);
      return status;
    } catch (error) {
      this.tally.failed(`${what}: ${error}`);
      return 0;
    }
  }
}

/**
 * Removes all dumps but the newest, as operators do.
 * @param {string} folder
 */
function thinOutDumps(folder) {
  try {
    const dumps = readdirSync(folder)
      .filter((name) => name.endsWith('.dump'))
      .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
      .sort((a, b) => b.at - a.at);
    for (const { path } of dumps.slice(1)) rmSync(path);
  } catch {
    // No dump has been made yet.
  }
}

/**
 * Watches the server for a minute.
 * @param {Target} server
 * @param {import('../../scripts/server-process.mjs').ServerProcess} own
 * @param {Tally} tally
 * @param {number} ms
 * @returns {Promise<Minute>}
 */
async function watchMinute(server, own, tally, ms) {
  const samples = [readGauges(own.pid)];
  const started = performance.now();
  while (performance.now() - started < ms) {
    await delay(Math.min(SAMPLE_EVERY_MS, ms));
    samples.push(readGauges(own.pid));
  }
  thinOutDumps(join(own.folder, 'dumps'));
  /** @param {keyof (typeof samples)[0]} figure */
  const middle = (figure) =>
    percentile(
      samples.map((sample) => sample[figure]),
      50,
    );
  const cpu = (samples.at(-1)?.cpuSeconds ?? 0) - (samples[0]?.cpuSeconds ?? 0);
  const [{ total }, waiting] = await Promise.all([
    server.call('GET', '/tasks?limit=1'),
    server.call('GET', '/tasks?limit=1&statuses=enqueued,processing'),
  ]);
  return {
    ...tally.take(),
    ...readFiles(own),
    anonymousMiB: middle('anonymousMiB'),
    residentMiB: middle('residentMiB'),
    handles: middle('handles'),
    threads: middle('threads'),
    tasks: total,
    waiting: waiting.total,
    coreShare: cpu / ((performance.now() - started) / SECOND_MS),
  };
}

/**
 * @param {number} nth
 * @param {Minute} minute
 */
function line(nth, minute) {
  const { reads, writes, p50Ms, p99Ms, anonymousMiB, residentMiB, handles, threads } = minute;
  return [
    `minute ${nth}: ${reads} reads, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${writes} writes`,
    `anonymous ${anonymousMiB.toFixed(1)} MiB of ${residentMiB.toFixed(1)} MiB`,
    `${handles} handles, ${threads} threads, ${(minute.coreShare * 100).toFixed(0)} % of a core`,
    `disk ${minute.diskMiB.toFixed(1)} MiB, database ${minute.databaseMiB.toFixed(1)} MiB and log ${minute.logMiB.toFixed(1)} MiB`,
    `${minute.tasks} tasks, ${minute.waiting} waiting, ${minute.payloads} payloads`,
  ].join('; ');
}

/**
 * Waits until no task waits; those that failed, by what they say.
 * @param {Target} server
 */
async function settled(server) {
  for (;;) {
    const { total } = await server.call('GET', '/tasks?limit=1&statuses=enqueued,processing');
    if (total === 0) break;
    await delay(100);
  }
  const { results } = await server.call('GET', '/tasks?limit=20&statuses=failed');
  return results.map(
    (/** @type {{uid: number, type: string, error: {message: string}}} */ task) =>
      `task ${task.uid}, ${task.type}: ${task.error.message}`,
  );
}

/**
 * Opens every index once more: files that searches read to the last are removed then.
 * @param {string} folder
 */
async function openOnce(folder) {
  const server = await startServer({ folder });
  for (const index of INDEXES) {
    await new Target({}, server).call('GET', `/indexes/${index}/documents?limit=1`);
  }
  await server.stop();
}

/**
 * Runs the load; what is wrong in the end, in sentences, and the minutes.
 * @param {Options} options
 */
export async function loadRun({ log = () => undefined, secondsPerMinute = 60, ...options }) {
  const random = new Random(options.seed);
  const films = await readFilms(options.films, random);
  const { settings } = openDataset('movies');
  const sample = await sampleDataset(openDataset('movies'), options.seed, options.films);
  const classes = makeQueries(sample, settings, options.seed);
  const own = await startServer(options.port === undefined ? {} : { port: options.port });
  const server = new Target({}, own);
  const exchanges = new Exchanges(server.url);
  try {
    await loadFilms(server, films);
    await exchanges.open();
    log(`process ${own.pid} in ${own.folder}, ${films.length} films in each index`);
    const tally = new Tally();
    const source = { random, classes, indexes: INDEXES, nFilms: films.length, films };
    const load = new Load(exchanges, source, tally);
    const end = new AbortController();
    const isOver = () => end.signal.aborted;
    const traffic = [
      atRate({ perSecond: options.reads, most: MOST_UNDER_WAY, isOver }, () => load.read()),
      atRate({ perSecond: options.writes, most: MOST_UNDER_WAY, isOver }, () => load.write()),
      ...CHORES.map((chore) => load.repeat(chore, end.signal)),
    ];
    /** @type {Minute[]} */
    const minutes = [];
    for (let nth = 1; nth <= options.minutes; nth += 1) {
      const minute = await watchMinute(server, own, tally, secondsPerMinute * SECOND_MS);
      minutes.push(minute);
      log(line(nth, minute));
    }
    end.abort();
    const [leftOutReads = 0, leftOutWrites = 0] = await Promise.all(traffic);
    const wrong = [...tally.failures, ...(await settled(server))];
    if (leftOutReads + leftOutWrites > 0) {
      log(`${leftOutReads} reads and ${leftOutWrites} writes were left out: the machine was busy`);
    }
    const judged = judge(minutes);
    for (const text of describe(judged)) log(text);
    await own.stop();
    await openOnce(own.folder);
    wrong.push(...leftOver(own.dataFolder, INDEXES.length));
    return { minutes, judged, wrong, folder: own.folder };
  } finally {
    exchanges.close();
    await own.stop('SIGKILL');
  }
}
