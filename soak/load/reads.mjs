// Reads of every kind, in the mix that a busy server sees.
import { DIMENSIONS } from './films.mjs';

/**
 * @typedef {import('../../bench/random.mjs').Random} Random
 * @typedef {{name: string, queries: Record<string, unknown>[]}} QueryClass
 *
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path
 * @property {unknown} [body]
 * @property {number[]} [alsoRight] statuses beside 200 that are right, because others write meanwhile
 *
 * @typedef {object} Source
 * @property {Random} random
 * @property {QueryClass[]} classes
 * @property {string[]} indexes
 * @property {number} nFilms
 */

/** @param {Source} source */
const someQuery = ({ random, classes }) => random.pick(random.pick(classes).queries);
/** @param {Source} source */
const someIndex = ({ random, indexes }) => random.pick(indexes);
/** @param {Source} source */
const someId = ({ random, nFilms }) => random.between(1, nFilms);
/** @param {Random} random */
const someVector = (random) => Array.from({ length: DIMENSIONS }, () => random.next());

/** @type {[share: number, (source: Source) => Call][]} */
const READS = [
  [
    60,
    (source) => ({
      method: 'POST',
      path: `/indexes/${someIndex(source)}/search`,
      body: someQuery(source),
    }),
  ],
  [
    5,
    (source) => ({
      method: 'POST',
      path: `/indexes/${someIndex(source)}/facet-search`,
      body: { facetName: 'cast', facetQuery: source.random.pick(['a', 'jo', 'mar', 'will', 'x']) },
    }),
  ],
  [
    6,
    (source) => ({
      method: 'GET',
      path: `/indexes/${someIndex(source)}/documents/${someId(source)}`,
      alsoRight: [404],
    }),
  ],
  [
    3,
    (source) => ({
      method: 'GET',
      path: `/indexes/${someIndex(source)}/documents?limit=20&offset=${someId(source)}`,
    }),
  ],
  [
    3,
    (source) => ({
      method: 'POST',
      path: `/indexes/${someIndex(source)}/documents/fetch`,
      body: { filter: `year > ${source.random.between(1900, 2020)}`, limit: 10 },
    }),
  ],
  [
    4,
    (source) => ({
      method: 'POST',
      path: '/multi-search',
      body: {
        queries: source.indexes.map((indexUid) => ({ indexUid, ...someQuery(source) })),
      },
    }),
  ],
  [
    4,
    (source) => ({
      method: 'POST',
      path: '/multi-search',
      body: {
        federation: { limit: 10 },
        queries: source.indexes.map((indexUid) => ({
          indexUid,
          q: String(someQuery(source).q ?? ''),
        })),
      },
    }),
  ],
  [
    5,
    (source) => ({
      method: 'POST',
      path: `/indexes/${someIndex(source)}/search`,
      body: {
        q: String(someQuery(source).q ?? ''),
        vector: someVector(source.random),
        hybrid: { embedder: 'own', semanticRatio: source.random.pick([0.5, 1]) },
      },
    }),
  ],
  [
    3,
    (source) => ({
      method: 'POST',
      path: `/indexes/${someIndex(source)}/similar`,
      body: { id: someId(source), embedder: 'own', limit: 5 },
      alsoRight: [400, 404],
    }),
  ],
  [2, () => ({ method: 'GET', path: '/tasks?limit=50' })],
  [1, () => ({ method: 'GET', path: '/batches?limit=10' })],
  [1, () => ({ method: 'GET', path: '/stats' })],
  [1, () => ({ method: 'GET', path: '/metrics' })],
  [1, (source) => ({ method: 'GET', path: `/indexes/${someIndex(source)}/settings` })],
  [1, () => ({ method: 'GET', path: '/health' })],
];

const SHARES = READS.reduce((sum, [share]) => sum + share, 0);

/**
 * @param {Source} source
 * @returns {Call}
 */
export function someRead(source) {
  let at = source.random.next() * SHARES;
  const chosen = READS.find(([share]) => {
    at -= share;
    return at < 0;
  });
  return (chosen ?? /** @type {typeof READS[0]} */ (READS[0]))[1](source);
}
