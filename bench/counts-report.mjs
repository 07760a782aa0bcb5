// What counted instructions say: read from callgrind, compared with a baseline, shown as a table.
import { markdownTable } from './numbers.mjs';

/** An operation may take so much more than in the baseline. */
const TOLERANCE = 0.05;
const UPDATE = 'npm run bench -- counts --update';

/**
 * @typedef {Record<string, number>} Counts instructions by operation
 * @typedef {{rustc: string, operations: Counts}} Baseline
 * @typedef {{name: string, before: number | undefined, now: number | undefined}} CountRow
 */

/**
 * The counts in what callgrind wrote, a text for each operation; in alphabetical order. Its `summary` is the difference
 * to the text before, which says nothing here.
 * @param {readonly string[]} texts
 * @returns {Counts}
 */
export function readCounts(texts) {
  const counts = texts.flatMap((text) => {
    const name = /^desc: Trigger: Client Request: (.+)$/m.exec(text)?.[1];
    const total = /^totals: (\d+)/m.exec(text)?.[1];
    return name === undefined || total === undefined ? [] : [[name, Number(total)]];
  });
  if (counts.length === 0) throw new Error('callgrind wrote no counts');
  return Object.fromEntries(counts.sort());
}

/**
 * Each operation of either side, and what is wrong with them: one that takes more than is tolerated, and one that is
 * on one side alone.
 * @param {Counts} before
 * @param {Counts} now
 * @returns {{rows: CountRow[], wrong: string[]}}
 */
export function comparison(before, now) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const rows = names.map((name) => ({ name, before: before[name], now: now[name] }));
  const wrong = rows.flatMap((row) => problemOf(row) ?? []);
  return { rows, wrong: wrong.length === 0 ? [] : [...wrong, `if this is meant: ${UPDATE}`] };
}

/** @param {CountRow} row */
function problemOf({ name, before, now }) {
  if (before === undefined) return `${name} is not in the baseline`;
  if (now === undefined) return `${name} is in the baseline, but was not counted`;
  if (now <= before * (1 + TOLERANCE)) return undefined;
  return `${name} takes ${percent(before, now)} instructions`;
}

/**
 * @param {number} before
 * @param {number} now
 */
function percent(before, now) {
  const change = before === 0 ? 0 : (now / before - 1) * 100;
  return `${change < 0 ? '' : '+'}${change.toFixed(2)} %`;
}

/**
 * The operations with the largest change first.
 * @param {readonly CountRow[]} rows
 */
export function countsTable(rows) {
  const change = (/** @type {CountRow} */ { before = 0, now = 0 }) =>
    before === 0 ? Number.POSITIVE_INFINITY : now / before;
  const sorted = [...rows].sort((a, b) => change(b) - change(a) || (a.name < b.name ? -1 : 1));
  const shown = (/** @type {number | undefined} */ count) =>
    count === undefined ? '-' : count.toLocaleString('en');
  return markdownTable(
    ['operation', 'baseline', 'now', 'change'],
    sorted.map(({ name, before, now }) => [
      name,
      shown(before),
      shown(now),
      before === undefined || now === undefined ? '-' : percent(before, now),
    ]),
  );
}
