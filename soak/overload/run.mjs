// `npm run soak -- overload`: ten times of what the server can do, and clients up to no good. Handles and memory are
// read from outside; afterwards the server has to be as it was.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../../bench/random.mjs';
import { Target } from '../../bench/target.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { loadFilms, readFilms } from '../load/films.mjs';
import { readGauges } from '../load/gauges.mjs';
import { cutShort, KINDS } from './clients.mjs';
import { byStatus, Flood } from './flood.mjs';
import { quietMs, untilUsual } from './probe.mjs';

const TIMES = 10;
const WATCH_MS = 50;
const ANSWERED_MS = 180_000;
/** Only what never ends takes so long, however busy the machine is. */
const CALM_MS = 180_000;
const MOST_UNDER_WAY = 5_000;
/** @type {Recovery} */
const RECOVERY = { withinMs: 1000, times: 5 };
/** Memory that may stay, beside what caches keep: the heap is not given back at once. */
const KEPT_MIB = 96;
const CUT_PLACES = 100;
/** Larger than any honest body here, and smaller than what a bomb becomes. */
const BODY_LIMIT = '8MB';
/** Searches that may wait: few, so that a flood of some seconds is sure to meet a full queue. */
const WAITING = '50';

/**
 * @typedef {import('../../scripts/server-process.mjs').ServerProcess} ServerProcess
 * @typedef {import('./flood.mjs').Call} Call
 *
 * @typedef {object} Options
 * @property {number} films
 * @property {number} seconds of each flood
 * @property {number} clients of each kind that are up to no good
 * @property {number} seed
 * @property {Recovery} [recovery] how soon after a flood searches have to be as they were before it
 * @property {string[]} [args] of the server
 * @property {(line: string) => void} [log]
 *
 * @typedef {object} Recovery
 * @property {number} withinMs from the end of the flood to the first second of searches that are as usual
 * @property {number} times the quiet median, that a usual search takes at most
 *
 * @typedef {{most: {handles: number, anonymousMiB: number}, after: {handles: number, anonymousMiB: number}}} Held
 */

/**
 * Watches handles and memory while something is done.
 * @param {ServerProcess} server
 * @param {() => Promise<void>} work
 */
async function watched(server, work) {
  const most = { handles: 0, anonymousMiB: 0 };
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      const { handles, anonymousMiB } = readGauges(server.pid);
      most.handles = Math.max(most.handles, handles);
      most.anonymousMiB = Math.max(most.anonymousMiB, anonymousMiB);
      await delay(WATCH_MS);
    }
  };
  const watching = watch();
  try {
    await work();
  } finally {
    isOver = true;
    await watching;
  }
  return most;
}

/**
 * Waits until a server holds no more handles than before, and little more memory.
 * @param {ServerProcess} server
 * @param {import('../load/gauges.mjs').Gauges} before
 */
async function calm(server, before) {
  for (const end = Date.now() + CALM_MS; Date.now() < end; await delay(WATCH_MS)) {
    const { handles, anonymousMiB } = readGauges(server.pid);
    if (handles <= before.handles + 4 && anonymousMiB <= before.anonymousMiB + KEPT_MIB) break;
  }
  return readGauges(server.pid);
}

/**
 * How long until one more request is answered as usual.
 * @param {URL} url
 * @param {Call} call
 */
async function oneMore(url, call) {
  const started = performance.now();
  while (performance.now() - started < ANSWERED_MS) {
    const one = new Flood(url, 1);
    const { status } = await one.send(call);
    one.close();
    if (status === 200 || status === 202) return performance.now() - started;
    await delay(10);
  }
  return Number.POSITIVE_INFINITY;
}

/** Searches that cost the server much more than the client. @param {Random} random @returns {Call} */
function heavySearch(random) {
  const words = ['the', 'night', 'of', 'love', 'dark', 'city', 'a', 'man', 'story', 'war'];
  const some = () => Array.from({ length: 6 }, () => random.pick(words)).join(' ');
  const queries = Array.from({ length: 12 }, () => ({
    indexUid: 'films',
    q: some(),
    facets: ['genres', 'cast', 'year'],
    limit: 20,
  }));
  return { method: 'POST', path: '/multi-search', body: Buffer.from(JSON.stringify({ queries })) };
}

/** @param {Random} random @returns {Call} */
function largeWrite(random) {
  const rows = Array.from({ length: 2_000 }, () => ({
    id: random.between(1, 5_000),
    title: `film ${random.between(1, 1000)}`,
    overview: 'a story of a man and a city '.repeat(8),
  }));
  const body = Buffer.from(JSON.stringify(rows));
  return { method: 'POST', path: '/indexes/flooded/documents?primaryKey=id', body };
}

/**
 * @param {ServerProcess} server
 * @param {string} name
 * @param {() => Call} next
 * @param {Options} options
 */
async function flood(server, name, next, options) {
  const { seconds, recovery = RECOVERY, log = () => undefined } = options;
  const url = new URL(server.url);
  const before = readGauges(server.pid);
  const quiet = await quietMs(url);
  const measuring = new Flood(url, 16);
  const capacity = await measuring.capacity(next, { clients: 16, seconds: Math.min(seconds, 4) });
  measuring.close();
  const flooding = new Flood(url, MOST_UNDER_WAY);
  const perSecond = Math.ceil(capacity * TIMES);
  let leftOut = 0;
  const most = await watched(server, async () => {
    leftOut = await flooding.run(next, { perSecond, seconds, most: MOST_UNDER_WAY });
  });
  const usualAfterMs = await untilUsual(url, recovery.times * quiet);
  const recoveredMs = await oneMore(url, next());
  const after = await calm(server, before);
  const answers = byStatus(flooding.answers);
  log(`${name}: ${capacity.toFixed(0)} a second is all it can; ${perSecond} a second came`);
  for (const { status, answers: count, p50Ms, p99Ms } of answers) {
    const what = status === 0 ? 'unanswered at the end' : `status ${status}`;
    log(`  ${what}: ${count}, p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`);
  }
  if (leftOut > 0) log(`  ${leftOut} were not sent: ${MOST_UNDER_WAY} were under way`);
  log(
    `  ${heldLine(before, most, after)}; one more is answered after ${recoveredMs.toFixed(0)} ms`,
  );
  log(
    `  a search takes ${quiet.toFixed(1)} ms before; ten a second are answered within ${recovery.times} times of it ` +
      `${usualAfterMs.toFixed(0)} ms after the flood`,
  );
  const wrong = wrongAnswers(name, flooding.answers);
  if (!Number.isFinite(usualAfterMs)) wrong.push(`${name}: searches are never as before again`);
  else if (usualAfterMs > recovery.withinMs) {
    wrong.push(`${name}: searches are as before after ${usualAfterMs.toFixed(0)} ms only`);
  }
  if (!(recoveredMs < ANSWERED_MS)) wrong.push(`${name}: no answer afterwards`);
  const figures = { capacity, perSecond, answers, leftOut, quiet, usualAfterMs, recoveredMs };
  return { name, ...figures, before, most, after, wrong };
}

/**
 * @param {import('../load/gauges.mjs').Gauges} before
 * @param {Held['most']} most
 * @param {Held['after']} after
 */
const heldLine = (before, most, after) =>
  `handles ${before.handles}, at most ${most.handles}, then ${after.handles}; ` +
  `anonymous MiB ${before.anonymousMiB.toFixed(0)}, at most ${most.anonymousMiB.toFixed(0)}, then ${after.anonymousMiB.toFixed(0)}`;

/**
 * Nothing but 200, 202 and a 503 that says when to come back.
 * @param {string} name
 * @param {import('./flood.mjs').Answer[]} answers
 */
export function wrongAnswers(name, answers) {
  const wrong = answers.filter(({ status, retryAfter }) =>
    status === 503 ? retryAfter !== '10' : ![0, 200, 202].includes(status),
  );
  const texts = new Set(wrong.map(({ status, text }) => `${status} ${text.slice(0, 200)}`));
  return [...texts].map((text) => `${name}: ${text}`);
}

/**
 * So many clients of a kind at once: others are served meanwhile, and nothing of them stays.
 * @param {ServerProcess} server
 * @param {import('./clients.mjs').Kind} kind
 * @param {Options} options
 */
async function besieged(server, { name, open }, { clients, seconds, log = () => undefined }) {
  const url = new URL(server.url);
  const before = readGauges(server.pid);
  const served = { method: 'POST', path: '/indexes/films/search', body: Buffer.from('{"q":"a"}') };
  let servedMs = 0;
  const most = await watched(server, async () => {
    const sockets = await Promise.all(Array.from({ length: clients }, () => open(url)));
    servedMs = await oneMore(url, served);
    await delay(seconds * 1000);
    for (const socket of sockets) socket.destroy();
  });
  const after = await calm(server, before);
  log(
    `${clients} clients, ${name}: ${heldLine(before, most, after)}; others in ${servedMs.toFixed(0)} ms`,
  );
  return { name, clients, before, most, after, servedMs, wrong: stays(name, before, after) };
}

/**
 * @param {string} name
 * @param {Held['after']} before
 * @param {Held['after']} after
 */
function stays(name, before, after) {
  const wrong = [];
  if (after.handles > before.handles + 4) wrong.push(`${name}: ${after.handles} handles stay`);
  if (after.anonymousMiB > before.anonymousMiB + KEPT_MIB) {
    wrong.push(`${name}: ${after.anonymousMiB.toFixed(0)} MiB stay`);
  }
  return wrong;
}

/**
 * Runs all; what is wrong, in sentences, and the figures.
 * @param {Options} options
 */
export async function overloadRun(options) {
  const { films, seed, args = [], log = () => undefined } = options;
  const random = new Random(seed);
  const bodies = ['--http-payload-size-limit', BODY_LIMIT];
  const waiting = ['--experimental-search-queue-size', WAITING];
  const server = await startServer({ args: [...bodies, ...waiting, ...args] });
  try {
    const target = new Target({}, server);
    await loadFilms(target, await readFilms(films, random));
    const figures = [];
    for (const kind of KINDS) figures.push(await besieged(server, kind, options));
    const before = readGauges(server.pid);
    await cutShort(target.url, CUT_PLACES);
    const after = await calm(server, before);
    log(
      `requests cut short at ${CUT_PLACES} places: handles ${before.handles}, then ${after.handles}`,
    );
    figures.push({ name: 'cut short', before, after, wrong: stays('cut short', before, after) });
    figures.push(await flood(server, 'searches', () => heavySearch(random), options));
    figures.push(await flood(server, 'writes', () => largeWrite(random), options));
    const left = await emptied(target, join(server.dataFolder, 'payloads'));
    const wrong = figures.flatMap((figure) => figure.wrong);
    if (left.length > 0) wrong.push(`${left.length} payloads stay`);
    await server.stop();
    return { figures, wrong, folder: server.folder };
  } finally {
    await server.stop('SIGKILL');
  }
}

/**
 * Waits until no task waits and no body is being received any more; the files that stay.
 * @param {Target} server
 * @param {string} payloads
 */
async function emptied(server, payloads) {
  for (const end = Date.now() + CALM_MS; ; await delay(WATCH_MS)) {
    const { total } = await server.call('GET', '/tasks?limit=1&statuses=enqueued,processing');
    const left = readdirSync(payloads);
    if (total === 0 && (left.length === 0 || Date.now() > end)) return left;
  }
}
