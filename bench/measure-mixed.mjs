// `npm run bench -- mixed`: a steady rate of searches, first alone and then beside a steady rate of changed documents.
import { Connection } from './connection.mjs';
import { FreshSearch } from './fresh-search.mjs';
import { percentile } from './numbers.mjs';
import { cpuSeconds } from './process-usage.mjs';
import { Random } from './random.mjs';

/** Connections of the searches; one that finds all of them busy waits, and its time counts from when it was due. */
const CONNECTIONS = 16;
/** Pause between two looks for a changed document, so that looking takes little of the server's time. */
const POLL_MS = 2;
const FIRST_WORD = 2_000_000_000;

/**
 * @typedef {import('./target.mjs').Target} Target
 *
 * @typedef {object} Rates
 * @property {number} searches a second
 * @property {number} updates a second, as far as each is found before the next is sent
 * @property {number} seconds of each phase
 * @property {number} seed
 */

/**
 * Milliseconds of searches and updates. Each search is due at a fixed moment, whatever came of those before it, and its
 * time is counted from there: a server that stands still for a second is seen by all searches due meanwhile. The same
 * searches in the same order are made without and with updates, after a pass that is not measured; no answer is a
 * remembered one.
 * @param {Target} server
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {unknown[]} queries
 * @param {Record<string, unknown>[]} documents of the dataset, to be changed and put back
 * @param {Rates} rates
 */
export async function measureMixed(server, dataset, queries, documents, rates) {
  const requests = shuffled(queries, rates.seed).map(
    (body) => new FreshSearch(server, dataset.name, body),
  );
  const pool = new Pool(server.url);
  try {
    for (const request of requests) await pool.send(request.next());
    const alone = await phase(server, pool, requests, rates);
    const updating = update(server, dataset, documents, rates);
    const beside = await phase(server, pool, requests, rates);
    const updates = await updating.stop();
    return { rates, alone, beside, p99Ratio: beside.p99Ms / alone.p99Ms, updates };
  } finally {
    pool.close();
  }
}

/**
 * Searches at a steady rate for some seconds.
 * @param {Target} server
 * @param {Pool} pool
 * @param {FreshSearch[]} requests
 * @param {Rates} rates
 */
async function phase(server, pool, requests, { searches, seconds }) {
  /** @type {number[]} */
  const times = [];
  const cpuBefore = cpuSeconds(server.pid);
  const started = performance.now();
  const running = [];
  for (let n = 0; n < searches * seconds; n += 1) {
    const due = started + (n * 1000) / searches;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    const request = /** @type {FreshSearch} */ (requests[n % requests.length]);
    // A timer is late by a millisecond of its own; the server is not to blame for that.
    const sent = early > 0 ? performance.now() : due;
    running.push(pool.send(request.next()).then(() => times.push(performance.now() - sent)));
  }
  await Promise.all(running);
  const cpuAfter = cpuSeconds(server.pid);
  const cpu = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
  return { ...summary(times), cpuSeconds: cpu };
}

/**
 * Changes documents at a steady rate, each time to hold a word that no other has, until it is told to stop; then puts
 * them back. Times are from sending the document to its first hit.
 * @param {Target} server
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {Record<string, unknown>[]} documents
 * @param {Rates} rates
 */
function update(server, dataset, documents, { updates }) {
  const route = `/indexes/${dataset.name}/documents`;
  const [attribute = 'title'] = dataset.settings.searchableAttributes ?? [];
  /** @type {number[]} */
  const times = [];
  let isOver = false;
  const loop = async () => {
    const started = performance.now();
    for (let n = 0; !isOver; n += 1) {
      const early = started + (n * 1000) / updates - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      const document = /** @type {Record<string, unknown>} */ (documents[n % documents.length]);
      const word = `zq${(FIRST_WORD + n).toString(36)}x`;
      const sent = performance.now();
      await server.call('PUT', route, [
        { ...document, [attribute]: `${document[attribute]} ${word}` },
      ]);
      await found(server, dataset.name, word);
      times.push(performance.now() - sent);
    }
  };
  const done = loop();
  return {
    async stop() {
      isOver = true;
      await done;
      const changed = documents.slice(0, times.length);
      await server.done(server.call('PUT', route, changed));
      return summary(times);
    },
  };
}

/**
 * @param {Target} server
 * @param {string} index
 * @param {string} word
 */
async function found(server, index, word) {
  const body = { q: `"${word}"`, limit: 1, attributesToRetrieve: [] };
  for (;;) {
    const { hits } = await server.call('POST', `/indexes/${index}/search`, body);
    if (hits.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Keep-alive connections, each lent to one request at a time. */
class Pool {
  #open;
  #free;
  /** @type {((connection: Connection) => void)[]} */
  #waiting = [];

  /** @param {URL} url */
  constructor(url) {
    this.#open = Array.from({ length: CONNECTIONS }, () => new Connection(url));
    this.#free = [...this.#open];
  }

  /** @param {Buffer} request */
  async send(request) {
    /** @type {Connection} */
    const connection =
      this.#free.pop() ?? (await new Promise((resolve) => this.#waiting.push(resolve)));
    const reply = await connection.send(request);
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#free.push(connection);
    if (reply.status !== 200) throw new Error(`a search was answered with ${reply.status}`);
  }

  close() {
    for (const connection of this.#open) connection.close();
  }
}

/**
 * @template T
 * @param {T[]} list
 * @param {number} seed
 */
function shuffled(list, seed) {
  const random = new Random(seed);
  return list
    .map((item) => ({ item, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** @param {number[]} times */
function summary(times) {
  return {
    n: times.length,
    p50Ms: percentile(times, 50),
    p90Ms: percentile(times, 90),
    p99Ms: percentile(times, 99),
    maxMs: Math.max(...times),
  };
}
