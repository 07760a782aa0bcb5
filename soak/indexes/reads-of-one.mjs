// Reads of an index that nobody writes to meanwhile, each with exactly what has to be read.
import { emptyIndex } from './model.mjs';
import { GROUPS, matches, SMALL_WORDS, WORDS } from './words.mjs';

/** More than an index has documents, and as many as a search gives. */
export const ALL = 1_000;
/** What is read of an index that is not there. */
export const NO_INDEX = { code: 'index_not_found' };

/**
 * @typedef {import('../../bench/random.mjs').Random} Random
 * @typedef {import('./model.mjs').ModelIndex} ModelIndex
 * @typedef {import('./model.mjs').Row} Row
 *
 * @typedef {object} Read
 * @property {string} name
 * @property {string} method
 * @property {string} path
 * @property {unknown} [body]
 * @property {(answer: any) => unknown} seen what of an answer counts
 * @property {unknown} expected what that has to be, or an object with the code of the error
 */

/** @param {Iterable<Row>} rows */
export const inOrder = (rows) => [...rows].sort((one, other) => one.id - other.id);

/**
 * The documents with all words of a query.
 * @param {ModelIndex} index
 * @param {readonly string[]} query
 */
export const found = ({ rows, settings }, query) =>
  [...rows.values()].filter(({ text = '' }) => matches(query, text, settings));

/** One or two words, at times behind a small one. @param {Random} random */
export function someQuery(random) {
  const words = Array.from({ length: random.between(1, 2) }, () => random.pick(WORDS));
  return random.next() < 0.2 ? [random.pick(SMALL_WORDS), ...words] : words;
}

/**
 * @param {string} name
 * @param {string} uid
 * @param {object} body
 * @param {Read['seen']} seen
 * @param {unknown} expected
 * @returns {Read}
 */
const search = (name, uid, body, seen, expected) => ({
  name,
  method: 'POST',
  path: `/indexes/${uid}/search`,
  body: { limit: ALL, matchingStrategy: 'all', ...body },
  seen,
  expected,
});

/** @typedef {(uid: string, index: ModelIndex, random: Random) => Read} Kind */

/** @type {Kind} */
function words(uid, index, random) {
  const query = someQuery(random);
  const expected = inOrder(found(index, query));
  return search('words', uid, { q: query.join(' ') }, ({ hits }) => inOrder(hits), expected);
}

/** @type {Kind} */
function filter(uid, { rows, settings }, random) {
  const group = random.pick(GROUPS);
  const isRight = settings.filterableAttributes.includes('group');
  const right = [...rows.values()].filter((row) => row.group === group);
  const expected = isRight ? inOrder(right) : { code: 'invalid_search_filter' };
  const body = { filter: `group = ${group}` };
  return search('filter', uid, body, ({ hits }) => inOrder(hits), expected);
}

/** @type {Kind} */
function sort(uid, { rows, settings }) {
  const isRight = settings.sortableAttributes.includes('n');
  const right = [...rows.values()].sort((one, other) => other.n - one.n);
  const expected = isRight ? right : { code: 'invalid_search_sort' };
  return search('sort', uid, { sort: ['n:desc'] }, ({ hits }) => hits, expected);
}

/** @type {Kind} */
function facets(uid, { rows, settings }) {
  const isRight = settings.filterableAttributes.includes('group');
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { group } of rows.values()) {
    if (group !== undefined) counts[group] = (counts[group] ?? 0) + 1;
  }
  // Attributes that are not filterable are left out.
  const expected = isRight ? counts : {};
  const body = { facets: ['group'], limit: 0 };
  return search('facets', uid, body, (answer) => answer.facetDistribution.group ?? {}, expected);
}

/** @type {Kind} */
function document(uid, { rows }, random) {
  const row = rows.size > 0 ? random.pick([...rows.values()]) : undefined;
  return {
    name: 'document',
    method: 'GET',
    path: `/indexes/${uid}/documents/${row?.id ?? 1}`,
    seen: (answer) => answer,
    expected: row ?? { code: 'document_not_found' },
  };
}

/** @type {Kind} */
function counts(uid, { rows }) {
  return {
    name: 'counts',
    method: 'GET',
    path: `/indexes/${uid}/stats`,
    seen: ({ numberOfDocuments }) => numberOfDocuments,
    expected: rows.size,
  };
}

/** All documents. @type {Kind} */
function documents(uid, { rows }) {
  return {
    name: 'documents',
    method: 'POST',
    path: `/indexes/${uid}/documents/fetch`,
    body: { limit: ALL },
    seen: ({ results }) => inOrder(results),
    expected: inOrder(rows.values()),
  };
}

/** The settings that are changed here. @type {Kind} */
function settings(uid, index) {
  return {
    name: 'settings',
    method: 'GET',
    path: `/indexes/${uid}/settings`,
    seen: ({ filterableAttributes, sortableAttributes, stopWords, synonyms }) => ({
      filterableAttributes: [...filterableAttributes].sort(),
      sortableAttributes: [...sortableAttributes].sort(),
      stopWords: [...stopWords].sort(),
      synonyms,
    }),
    expected: index.settings,
  };
}

const RARE = [sort, facets, document, counts, documents, settings];
const KINDS = [words, words, words, words, filter, filter, ...RARE];

/**
 * @param {string} uid
 * @param {ModelIndex | undefined} index
 * @param {Random} random
 * @param {readonly Kind[]} [kinds]
 * @returns {Read}
 */
export function someRead(uid, index, random, kinds = KINDS) {
  const read = random.pick(kinds)(uid, index ?? emptyIndex(), random);
  return index === undefined ? { ...read, expected: NO_INDEX } : read;
}

/**
 * Everything of an index: its documents and its settings.
 * @param {string} uid
 * @param {ModelIndex | undefined} index
 * @param {Random} random
 */
export const everyRead = (uid, index, random) =>
  [documents, settings, words].map((kind) => someRead(uid, index, random, [kind]));
