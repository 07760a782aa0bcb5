// `npm run bench -- growth`: the same products, more and more of them: what grows with their number, and how fast.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataset } from './dataset.mjs';
import { measureEmbedded } from './measure-embedded.mjs';
import { measureColdStart, measureLoad, measureOneDocument } from './measure-load.mjs';
import { measureClass } from './measure-search.mjs';
import { markdownTable, percentile, show } from './numbers.mjs';
import { writeProducts } from './products.mjs';
import { makeQueries } from './query-classes.mjs';
import { sampleDataset } from './sample.mjs';
import { Target } from './target.mjs';

const BATCH = 10_000;
/** Writing `1` here gives back what the kernel keeps of files; only root may. */
const DROP_CACHES = '/proc/sys/vm/drop_caches';

/**
 * @typedef {object} GrowthRun
 * @property {number[]} sizes numbers of documents, ascending
 * @property {number} seconds of each class over HTTP
 * @property {number} seed
 * @property {string} [folder] where products and data folders lie meanwhile
 *
 * @typedef {Awaited<ReturnType<typeof measureSize>>} GrowthRow
 */

/**
 * Measures each size with a server and a data folder of its own, and tells each row as soon as it is there.
 * @param {GrowthRun} run
 * @param {(row: GrowthRow) => void} tell
 */
export async function measureGrowth(run, tell) {
  const folder = mkdtempSync(join(run.folder ?? tmpdir(), 'serval-growth-'));
  const file = join(folder, 'products.ndjson');
  try {
    await writeProducts(Math.max(...run.sizes), file);
    const rows = [];
    for (const size of run.sizes) {
      const row = await measureSize(file, join(folder, String(size)), size, run);
      tell(row);
      rows.push(row);
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} file
 * @param {string} data the data folder
 * @param {number} size
 * @param {GrowthRun} run
 */
async function measureSize(file, data, size, { seconds, seed }) {
  const dataset = openDataset(file);
  const classes = makeQueries(await sampleDataset(dataset, seed, size), dataset.settings, seed);
  mkdirSync(data);
  const server = await Target.open({ folder: data });
  let figures;
  try {
    const load = await measureLoad(server, dataset, { batchSize: BATCH, limit: size });
    const oneDocument = await measureOneDocument(server, dataset);
    const http = [];
    for (const queryClass of classes) {
      http.push(await measureClass(server, dataset.name, queryClass, { connections: 1, seconds }));
    }
    const warm = await measureColdStart(server, dataset);
    const first = await firstSearches(server, dataset.name, classes);
    let isDropped = false;
    const drop = () => {
      isDropped = dropCaches();
    };
    const dropped = await measureColdStart(server, dataset, drop);
    const cold = isDropped ? dropped : undefined;
    figures = { size, load, oneDocument, http, warm, cold, first };
  } finally {
    await server.close();
  }
  const own = server.dataFolder ?? data;
  const nFiles = readdirSync(own, { recursive: true }).length;
  const embedded = await measureEmbedded(own, dataset.name, classes);
  rmSync(data, { recursive: true, force: true });
  return { ...figures, embedded, nFiles };
}

/**
 * The first queries of each class, in a process that has answered one search before.
 * @param {Target} server
 * @param {string} uid
 * @param {{queries: unknown[]}[]} classes
 */
async function firstSearches(server, uid, classes) {
  const times = [];
  for (const { queries } of classes) {
    for (const query of queries.slice(0, 3)) {
      const started = performance.now();
      await server.call('POST', `/indexes/${uid}/search`, query);
      times.push(performance.now() - started);
    }
  }
  return { p50Ms: percentile(times, 50), p99Ms: percentile(times, 99) };
}

function dropCaches() {
  try {
    if (!existsSync(DROP_CACHES)) return false;
    writeFileSync(DROP_CACHES, '1');
    return true;
  } catch {
    return false;
  }
}

/**
 * One column a size.
 * @param {GrowthRow[]} rows
 */
export function growthTable(rows) {
  const head = ['figure', ...rows.map(({ size }) => size.toLocaleString('en-US'))];
  /** @param {string} name @param {(row: GrowthRow) => string} cell */
  const line = (name, cell) => [name, ...rows.map(cell)];
  /** @param {{p50Ms: number, p99Ms: number, cpuMs?: number | null} | undefined} figures */
  const pair = (figures) => {
    const cpu = figures?.cpuMs === undefined ? '' : `, ${show(figures.cpuMs)}`;
    return `${show(figures?.p50Ms)} / ${show(figures?.p99Ms)}${cpu}`;
  };
  const names = rows[0]?.http.map((row) => row.class) ?? [];
  return markdownTable(head, [
    line('documents, MiB', ({ load }) => show(load.bytes / 2 ** 20, 1)),
    line('indexing, s', ({ load }) => show(load.seconds, 1)),
    line('indexing, CPU s', ({ load }) => show(load.cpuSeconds, 1)),
    line('disk, MiB', ({ load }) => show(load.diskMiB, 1)),
    line('peak memory, MiB', ({ load }) => show(load.peakMemoryMiB, 0)),
    line('files', ({ nFiles }) => String(nFiles)),
    line('one document added to found, ms', ({ oneDocument }) => pair(oneDocument)),
    line('start to first answer, files in memory, ms', ({ warm }) => show(warm.seconds * 1000, 0)),
    line('start to first answer, files on disk, ms', ({ cold }) =>
      show(cold && cold.seconds * 1000, 0),
    ),
    line('first searches, HTTP, ms', ({ first }) => pair(first)),
    ...names.map((name) =>
      line(`${name}, HTTP: p50 / p99, CPU ms`, ({ http }) =>
        pair(http.find((row) => row.class === name)),
      ),
    ),
    ...names.map((name) =>
      line(`${name}, in process: p50 / p99, CPU ms`, ({ embedded }) =>
        pair(embedded.find((row) => row.class === name)),
      ),
    ),
    line('all classes, in process: p50 / p99, CPU ms', ({ embedded }) => pair(embedded.at(-1))),
  ]);
}
