// Prints what was measured as Markdown tables.
import { cpus, loadavg, totalmem } from 'node:os';
import { markdownTable, show } from './numbers.mjs';

/** The machine and how busy it was at the start: figures of a busy machine are worth less. */
export function describeMachine() {
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpus: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    load: Number(loadavg()[0]?.toFixed(2)),
  };
}

/**
 * @typedef {object} Results
 * @property {string} dataset
 * @property {ReturnType<typeof describeMachine>} machine
 * @property {Awaited<ReturnType<typeof import('./measure-load.mjs').measureLoad>>} [load]
 * @property {{seconds: number}} [coldStart]
 * @property {Awaited<ReturnType<typeof import('./measure-load.mjs').measureOneDocument>>} [oneDocument]
 * @property {import('./measure-search.mjs').SearchFigures[]} [search]
 */

/** @param {Results} results */
export function printResults({ dataset, machine, load, coldStart, oneDocument, search }) {
  const { cpus: cores, model, memoryGiB, node, date, load: busy } = machine;
  console.log(`\n## ${dataset}\n`);
  console.log(
    `${date}, ${cores} x ${model}, ${memoryGiB} GiB, Node ${node}, load ${busy} at start`,
  );
  const rows = [];
  if (load) {
    rows.push(
      ['documents', String(load.documents)],
      ['size of the documents, MiB', show(load.bytes / 2 ** 20, 1)],
      ['indexing, s', show(load.seconds)],
      ['documents a second', show(load.documents / load.seconds, 0)],
      ['indexing, CPU s', show(load.cpuSeconds)],
      ['peak resident memory, MiB', show(load.peakMemoryMiB, 0)],
      ['disk, MiB', show(load.diskMiB, 1)],
    );
  }
  if (coldStart) rows.push(['start to first answer, ms', show(coldStart.seconds * 1000, 0)]);
  if (oneDocument) {
    rows.push(
      ['one document added to found, p50 ms', show(oneDocument.p50Ms, 1)],
      ['one document added to found, p99 ms', show(oneDocument.p99Ms, 1)],
    );
  }
  if (rows.length > 0) console.log(`\n${markdownTable(['figure', 'value'], rows)}`);
  if (search && search.length > 0) console.log(`\n${searchTable(search)}`);
}

/**
 * One row a class, the connections side by side; at the end the same searches again, whose answers may be remembered.
 * @param {import('./measure-search.mjs').SearchFigures[]} figures
 */
function searchTable(figures) {
  const fresh = figures.filter((row) => !row.isRepeated);
  const connections = [...new Set(fresh.map((row) => row.connections))];
  const head = [
    'class',
    ...connections.flatMap((n) => [
      `p50 ms, ${n} conn`,
      `p99 ms, ${n} conn`,
      `a second, ${n} conn`,
    ]),
    'CPU ms',
    'again: p50 ms',
    'p99 ms',
    'CPU ms',
  ];
  const rows = [...new Set(figures.map((row) => row.class))].map((name) => {
    const own = fresh.filter((row) => row.class === name);
    const cells = own.flatMap((row) => [show(row.p50Ms), show(row.p99Ms), show(row.perSecond, 0)]);
    const again = figures.find((row) => row.class === name && row.isRepeated);
    const repeated = [again?.p50Ms, again?.p99Ms, again?.cpuMs].map((ms) => show(ms));
    return [name, ...cells, show(own[0]?.cpuMs), ...repeated];
  });
  return markdownTable(head, rows);
}

/**
 * One row a class; at the end the same searches again, whose answers may be remembered.
 * @param {readonly import('./measure-embedded.mjs').EmbeddedFigures[]} figures
 */
export function embeddedTable(figures) {
  const head = ['class', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', 'CPU ms'];
  const rows = figures.map(({ again, ...row }) => {
    const fresh = [row.p50Ms, row.p90Ms, row.p99Ms, row.maxMs, row.cpuMs];
    return [row.class, ...[...fresh, again.p50Ms, again.p99Ms, again.cpuMs].map((ms) => show(ms))];
  });
  head.push('again: p50 ms', 'p99 ms', 'CPU ms');
  return markdownTable(head, rows);
}
