// Measures searches in this process, through the embedded API: no HTTP, one search after the other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from '../scripts/paths.mjs';
import { freshBody } from './fresh-search.mjs';
import { percentile } from './numbers.mjs';

/**
 * @typedef {{name: string, queries: Record<string, unknown>[]}} QueryClass
 * @typedef {{p50Ms: number, p90Ms: number, p99Ms: number, maxMs: number, cpuMs: number}} EmbeddedTimes
 * @typedef {EmbeddedTimes & {class: string, again: EmbeddedTimes}} EmbeddedFigures `again` is the same searches sent once more
 */

/**
 * The query classes of a folder: `<dataset>.<class>.txt`, one search body a line.
 * @param {string} folder
 * @param {string} dataset
 * @returns {QueryClass[]}
 */
export function readQueries(folder, dataset) {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${dataset}.`));
  return files.sort().map((file) => ({
    name: file.split('.')[1] ?? file,
    queries: readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }));
}

/**
 * Runs every class twice and measures the second time, no two searches the same, so that no answer is a remembered one;
 * then three times with the same searches: where there is no room for more answers, those that come twice are remembered.
 * The last row is of all classes together.
 * @param {string} folder a data folder that no server has open
 * @param {string} uid
 * @param {readonly QueryClass[]} classes
 * @returns {Promise<EmbeddedFigures[]>}
 */
export async function measureEmbedded(folder, uid, classes) {
  const { Serval } = await import(inRoot('dist', 'index.js'));
  const db = await Serval.open(folder);
  try {
    const index = db.index(uid);
    /** @param {QueryClass['queries']} queries */
    const run = async (queries) => {
      const times = [];
      const before = process.cpuUsage();
      for (const { q = null, ...parameters } of queries) {
        const started = performance.now();
        await index.search(q, parameters);
        times.push(performance.now() - started);
      }
      const { user, system } = process.cpuUsage(before);
      return { times, cpuMs: (user + system) / 1000 };
    };
    const rows = [];
    const all = { fresh: nothing(), again: nothing() };
    for (const { name, queries } of classes) {
      await run(queries.map(freshBody));
      const fresh = await run(queries.map(freshBody));
      await run(queries);
      await run(queries);
      const again = await run(queries);
      rows.push({ class: name, ...figures(fresh), again: figures(again) });
      add(all.fresh, fresh);
      add(all.again, again);
    }
    return [...rows, { class: 'all', ...figures(all.fresh), again: figures(all.again) }];
  } finally {
    await db.close();
  }
}

/** @typedef {{times: number[], cpuMs: number}} Run milliseconds of each search, and processor time of all */

/** @returns {Run} */
const nothing = () => ({ times: [], cpuMs: 0 });

/**
 * @param {Run} sum
 * @param {Run} run
 */
function add(sum, { times, cpuMs }) {
  sum.times.push(...times);
  sum.cpuMs += cpuMs;
}

/**
 * @param {Run} run
 * @returns {EmbeddedTimes}
 */
const figures = ({ times, cpuMs }) => ({
  p50Ms: percentile(times, 50),
  p90Ms: percentile(times, 90),
  p99Ms: percentile(times, 99),
  maxMs: Math.max(...times),
  cpuMs: cpuMs / times.length,
});
