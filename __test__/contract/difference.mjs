// Finds the first difference between a recorded answer and a fresh one. The order of keys counts.

/** Fields that this server has and the recorded one had not: they may be there or not. */
const ADDED_FIELDS = new Set(['fieldsDistribution', 'updateId', 'indexSize', 'usedIndexSize']);

/** Vector scores are computed on 32-bit floats: fractions agree to one part in a million. */
const RELATIVE_ERROR = 1e-6;

/**
 * @typedef {{path: string, want: unknown, got: unknown}} Difference
 */

/**
 * @param {unknown} want
 * @param {unknown} got
 * @param {string} [path]
 * @returns {Difference | undefined}
 */
export function firstDifference(want, got, path = '') {
  if (isContainer(want) && isContainer(got) && Array.isArray(want) === Array.isArray(got)) {
    return differenceInside(want, got, path);
  }
  return sameScalar(want, got) ? undefined : { path, want, got };
}

/**
 * @param {Record<string, unknown>} want
 * @param {Record<string, unknown>} got
 * @param {string} path
 * @returns {Difference | undefined}
 */
function differenceInside(want, got, path) {
  const wanted = Object.keys(want);
  for (const key of wanted) {
    if (!Object.hasOwn(got, key)) {
      return { path: `${path}/${key}`, want: want[key], got: '(absent)' };
    }
    const inner = firstDifference(want[key], got[key], `${path}/${key}`);
    if (inner) return inner;
  }
  const present = Object.keys(got).filter((key) => key in want || !ADDED_FIELDS.has(key));
  const extra = present.find((key) => !Object.hasOwn(want, key));
  if (extra !== undefined) {
    return { path: `${path}/${extra}`, want: '(absent)', got: got[extra] };
  }
  const at = wanted.findIndex((key, index) => present[index] !== key);
  if (at < 0) return undefined;
  return { path, want: `keys ${wanted.join(', ')}`, got: `keys ${present.join(', ')}` };
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isContainer(value) {
  return typeof value === 'object' && value !== null;
}

/**
 * @param {unknown} want
 * @param {unknown} got
 */
function sameScalar(want, got) {
  if (want === got) return true;
  if (typeof want !== 'number' || typeof got !== 'number') return false;
  if (Number.isInteger(want) && Number.isInteger(got)) return false;
  return Math.abs(want - got) <= RELATIVE_ERROR * Math.max(Math.abs(want), Math.abs(got));
}
