// Measures searches in a closed loop: each connection sends its next query when the last is answered.
import { Connection } from './connection.mjs';
import { FreshSearch } from './fresh-search.mjs';
import { percentile } from './numbers.mjs';
import { cpuSeconds } from './process-usage.mjs';

/**
 * @typedef {object} SearchFigures
 * @property {string} class
 * @property {number} connections
 * @property {number} requests
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} perSecond
 * @property {number | null} cpuMs server time for one request
 * @property {number} bytes of one answer on average
 * @property {boolean} isRepeated whether the same requests were sent again
 */

/**
 * Runs one class for some seconds after one unmeasured pass over its queries. Unless the answers may be remembered ones, no
 * two requests are the same. An answer other than 200 is an error.
 * @param {import('./target.mjs').Target} target
 * @param {string} uid
 * @param {{name: string, queries: unknown[]}} queryClass
 * @param {{connections: number, seconds: number, isRepeated?: boolean}} options
 * @returns {Promise<SearchFigures>}
 */
export async function measureClass(target, uid, { name, queries }, options) {
  const { connections, seconds, isRepeated = false } = options;
  const searches = queries.map((body) => new FreshSearch(target, uid, body));
  const request = (/** @type {number} */ at) => {
    const search = /** @type {FreshSearch} */ (searches[at % searches.length]);
    return isRepeated ? search.same() : search.next();
  };
  const open = Array.from({ length: connections }, () => new Connection(target.url));
  try {
    await drive(open, request, (sent) => sent < searches.length);
    const cpuBefore = cpuSeconds(target.pid);
    const started = performance.now();
    const end = started + seconds * 1000;
    const { times, bytes } = await drive(open, request, () => performance.now() < end);
    const elapsed = (performance.now() - started) / 1000;
    const cpuAfter = cpuSeconds(target.pid);
    return {
      class: name,
      connections,
      requests: times.length,
      p50Ms: percentile(times, 50),
      p99Ms: percentile(times, 99),
      perSecond: times.length / elapsed,
      cpuMs:
        cpuBefore === null || cpuAfter === null
          ? null
          : ((cpuAfter - cpuBefore) * 1000) / times.length,
      bytes: Math.round(bytes / times.length),
      isRepeated,
    };
  } finally {
    for (const connection of open) connection.close();
  }
}

/**
 * @param {Connection[]} connections
 * @param {(at: number) => Buffer} requestAt
 * @param {(sent: number) => boolean} goOn
 */
async function drive(connections, requestAt, goOn) {
  /** @type {number[]} */
  const times = [];
  let bytes = 0;
  let sent = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (goOn(sent)) {
        const request = requestAt(sent);
        sent += 1;
        const started = performance.now();
        const reply = await connection.send(request);
        times.push(performance.now() - started);
        bytes += reply.bytes;
        if (reply.status !== 200) {
          throw new Error(`${reply.status} for ${request}: ${reply.body.toString('utf8', 0, 300)}`);
        }
      }
    }),
  );
  return { times, bytes };
}
