// Measures searches in this process, through the embedded API: no HTTP, one search after the other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from '../scripts/paths.mjs';
import { freshBody } from './fresh-search.mjs';
import { percentile } from './numbers.mjs';

/**
 * @typedef {{name: string, queries: Record<string, unknown>[]}} QueryClass
 * @typedef {{class: string, p50Ms: number, p90Ms: number, p99Ms: number, maxMs: number, cpuMs: number}} EmbeddedFigures
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
 * Runs every class twice and measures the second time; the last row is of all classes together. No two searches are the
 * same, so that no answer is a remembered one.
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
    const run = async (/** @type {QueryClass['queries']} */ queries) => {
      const times = [];
      for (const query of queries) {
        const { q = null, ...parameters } = freshBody(query);
        const started = performance.now();
        await index.search(q, parameters);
        times.push(performance.now() - started);
      }
      return times;
    };
    const rows = [];
    const all = { times: /** @type {number[]} */ ([]), cpuMs: 0 };
    for (const { name, queries } of classes) {
      await run(queries);
      const before = process.cpuUsage();
      const times = await run(queries);
      const { user, system } = process.cpuUsage(before);
      const cpuMs = (user + system) / 1000;
      all.times.push(...times);
      all.cpuMs += cpuMs;
      rows.push(figures(name, times, cpuMs));
    }
    return [...rows, figures('all', all.times, all.cpuMs)];
  } finally {
    await db.close();
  }
}

/**
 * @param {string} name
 * @param {number[]} times
 * @param {number} cpuMs of all together
 * @returns {EmbeddedFigures}
 */
const figures = (name, times, cpuMs) => ({
  class: name,
  p50Ms: percentile(times, 50),
  p90Ms: percentile(times, 90),
  p99Ms: percentile(times, 99),
  maxMs: Math.max(...times),
  cpuMs: cpuMs / times.length,
});
