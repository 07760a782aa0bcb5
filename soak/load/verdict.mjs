// From the minutes of a run to what grew. Pure, so that it can be tested.
import { percentile, show } from '../../bench/numbers.mjs';

/** Share of a run whose minutes do not count: caches fill, files find their size. */
const WARM_UP = 0.25;
/** How much the last third may be above the first. */
const LIMITS = {
  anonymousMiB: { factor: 1.05, slack: 0 },
  handles: { factor: 1.05, slack: 4 },
  threads: { factor: 1, slack: 2 },
  diskMiB: { factor: 1.2, slack: 16 },
  databaseMiB: { factor: 1.2, slack: 4 },
  tasks: { factor: 1.2, slack: 200 },
  p99Ms: { factor: 2, slack: 5 },
};
/** Most of the log of the database, whatever happens: it is cut off there. */
const MOST_LOG_MIB = 64;

/**
 * @typedef {object} Minute
 * @property {number} reads
 * @property {number} writes
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} anonymousMiB
 * @property {number} residentMiB
 * @property {number} handles
 * @property {number} threads
 * @property {number} diskMiB
 * @property {number} databaseMiB
 * @property {number} logMiB
 * @property {number} payloads
 * @property {number} tasks
 * @property {number} waiting tasks that have not ended
 * @property {number} coreShare of one processor
 *
 * @typedef {object} Judged
 * @property {string} figure
 * @property {number} first of the first third after the warm-up, in the middle
 * @property {number} last of the last third
 * @property {number} limit
 * @property {boolean} isRight
 */

/** @param {number[]} values */
const middle = (values) => percentile(values, 50);

/**
 * What each figure did, after the warm-up.
 * @param {Minute[]} minutes
 * @returns {Judged[]}
 */
export function judge(minutes) {
  const counted = minutes.slice(Math.floor(minutes.length * WARM_UP));
  const third = Math.max(1, Math.floor(counted.length / 3));
  const judged = Object.entries(LIMITS).map(([figure, { factor, slack }]) => {
    const values = counted.map((minute) => minute[/** @type {keyof typeof LIMITS} */ (figure)]);
    const first = middle(values.slice(0, third));
    const last = middle(values.slice(-third));
    const limit = first * factor + slack;
    return { figure, first, last, limit, isRight: last <= limit };
  });
  const logs = counted.map(({ logMiB }) => logMiB);
  const most = Math.max(...logs);
  const isRight = most <= MOST_LOG_MIB;
  judged.push({
    figure: 'logMiB',
    first: middle(logs),
    last: most,
    limit: MOST_LOG_MIB,
    isRight,
  });
  return judged;
}

/**
 * A line a figure.
 * @param {Judged[]} judged
 */
export function describe(judged) {
  return judged.map(
    ({ figure, first, last, limit, isRight }) =>
      `${isRight ? 'flat ' : 'GROWS'} ${figure.padEnd(13)} ${show(first)} -> ${show(last)} (limit ${show(limit)})`,
  );
}
