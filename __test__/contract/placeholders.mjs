// Fills the placeholders of a recorded request, makes tokens, and picks parts of an answer.
import { createHmac } from 'node:crypto';

/** @typedef {Record<string, unknown>} Saved answers of earlier steps by name */

/**
 * Replaces `{i}` by the prefix of this run, `{now+ms}` by a date that far from now, and `{name.path}` by a field of a
 * saved answer. Anything else in braces stays.
 * @param {string} text
 * @param {string} run
 * @param {Saved} saved
 */
export function fill(text, run, saved) {
  return text
    .replaceAll('{i}', run)
    .replace(/\{now([+-]\d+)\}/g, (_, ms) => new Date(Date.now() + Number(ms)).toISOString())
    .replace(/\{([a-zA-Z]\w*)\.([\w.]+)\}/g, (all, name, path) =>
      name in saved ? String(path.split('.').reduce(field, saved[name])) : all,
    );
}

/**
 * @param {unknown} value
 * @param {string} key
 * @returns {unknown}
 */
function field(value, key) {
  return /** @type {Record<string, unknown> | undefined} */ (value)?.[key];
}

/**
 * A JSON Web Token. Dates in its payload (`"{now+ms}"`) become seconds since 1970.
 * @param {import('./case-files.mjs').TokenSpec} spec
 * @param {string} run
 * @param {Saved} saved
 */
export function signToken(spec, run, saved) {
  const algorithm = spec.alg ?? 'HS256';
  /** @param {unknown} part */
  const encode = (part) => {
    const dated = JSON.stringify(part).replace(/"\{now([+-]\d+)\}"/g, (_, ms) =>
      String(Math.floor((Date.now() + Number(ms)) / 1000)),
    );
    return Buffer.from(fill(dated, run, saved)).toString('base64url');
  };
  const header = encode(spec.header ?? { alg: algorithm, typ: 'JWT' });
  const signed = `${header}.${encode(spec.payload)}`;
  const sent = spec.tamper === undefined ? signed : `${header}.${encode(spec.tamper)}`;
  if (algorithm === 'none') return `${sent}.`;
  const secret = fill(spec.secret, run, saved);
  const hmac = createHmac(`sha${algorithm.slice('HS'.length)}`, secret);
  return `${sent}.${hmac.update(signed).digest('base64url')}`;
}

/**
 * The parts of a value at paths of keys joined by slashes. In a list, a segment is a position, `*` for each element,
 * `[key=text]` for the first element with that value, or `[key^=text]` for all whose value starts so. What is not
 * there is null.
 * @param {unknown} value
 * @param {string[]} paths
 * @returns {Record<string, unknown>}
 */
export function pick(value, paths) {
  return Object.fromEntries(paths.map((path) => [path, walk(value, path.split('/')) ?? null]));
}

/**
 * @param {any} value
 * @param {string[]} segments
 * @returns {unknown}
 */
function walk(value, segments) {
  const [segment, ...rest] = segments;
  if (segment === undefined) return value;
  if (segment === '*') return value?.map((/** @type {unknown} */ item) => walk(item, rest));
  const [, key = '', operator, text = ''] = /^\[(\w+)(\^?=)(.*)\]$/.exec(segment) ?? [];
  /** @param {any} item */
  const textOf = (item) => String(item?.[key]);
  if (operator === '=') {
    return walk(
      value?.find((/** @type {any} */ item) => textOf(item) === text),
      rest,
    );
  }
  if (operator === '^=') {
    return walk(
      value?.filter((/** @type {any} */ item) => textOf(item).startsWith(text)),
      rest,
    );
  }
  return walk(value?.[segment], rest);
}
