// Writes that keep the indexes as large as they are, and what an operator does now and then.
import { withVector } from './films.mjs';

const MINUTE_MS = 60_000;
/** How long ended tasks are kept. */
const KEPT_MS = 5 * MINUTE_MS;
/** A film that was deleted and then updated has no number yet. */
const COUNT_UP = 'doc.castSize = (doc.castSize ?? 0) + 1;';

/**
 * @typedef {import('./reads.mjs').Call} Call
 * @typedef {import('./reads.mjs').Source & {films: import('./films.mjs').Film[]}} Source
 *
 * @typedef {object} Chore
 * @property {string} name
 * @property {number} everySeconds
 * @property {(source: Source, nth: number) => Call[]} calls
 */

/**
 * @param {Source} source
 * @param {number} most
 */
const someFilms = ({ random, films }, most) =>
  Array.from({ length: random.between(1, most) }, () => random.pick(films));
/**
 * @param {Source} source
 * @param {number} most
 */
const someIds = (source, most) => someFilms(source, most).map(({ id }) => id);

/** @type {((source: Source) => Call)[]} */
const WRITES = [add, add, add, add, update, update, remove, removeByFilter, edit];

/** @param {Source} source @returns {Call} */
function add(source) {
  const { random, indexes } = source;
  const body = someFilms(source, 40).map((film) =>
    withVector({ ...film, title: `${film.title} ${random.between(1, 9)}` }, random),
  );
  return { method: 'POST', path: `/indexes/${random.pick(indexes)}/documents`, body };
}

/** @param {Source} source @returns {Call} */
function update(source) {
  const { random, indexes } = source;
  // One that was deleted is made again, and then needs a vector, too.
  const body = someIds(source, 10).map((id) =>
    withVector({ id, seen: random.between(0, 1000) }, random),
  );
  return { method: 'PUT', path: `/indexes/${random.pick(indexes)}/documents`, body };
}

/** @param {Source} source @returns {Call} */
function remove(source) {
  const path = `/indexes/${source.random.pick(source.indexes)}/documents/delete-batch`;
  return { method: 'POST', path, body: someIds(source, 10) };
}

/** @param {Source} source @returns {Call} */
function removeByFilter(source) {
  const path = `/indexes/${source.random.pick(source.indexes)}/documents/delete`;
  return { method: 'POST', path, body: { filter: `id IN [${someIds(source, 10)}]` } };
}

/** @param {Source} source @returns {Call} */
function edit(source) {
  const path = `/indexes/${source.random.pick(source.indexes)}/documents/edit`;
  const filter = `id IN [${someIds(source, 20)}]`;
  return { method: 'POST', path, body: { filter, function: COUNT_UP } };
}

/**
 * @param {Source} source
 * @returns {Call}
 */
export function someWrite(source) {
  return source.random.pick(WRITES)(source);
}

const SETTINGS = [
  { stopWords: ['the', 'a', 'of'] },
  { synonyms: { film: ['movie'], murder: ['crime'] } },
  { typoTolerance: { minWordSizeForTypos: { oneTypo: 4 } } },
  { sortableAttributes: ['year', 'title', 'castSize', 'seen'] },
  { stopWords: [], synonyms: {} },
  { searchableAttributes: ['overview', 'title', 'cast', 'genres'] },
  { sortableAttributes: ['year', 'title', 'castSize'] },
  { searchableAttributes: ['title', 'overview', 'cast', 'genres'] },
];

/** What is done beside reads and writes, each so often. @type {Chore[]} */
export const CHORES = [
  {
    name: 'settings',
    everySeconds: 40,
    calls: ({ random, indexes }, nth) => [
      {
        method: 'PATCH',
        path: `/indexes/${random.pick(indexes)}/settings`,
        body: SETTINGS[nth % SETTINGS.length],
      },
    ],
  },
  {
    name: 'swap',
    everySeconds: 60,
    calls: ({ indexes }) => [{ method: 'POST', path: '/swap-indexes', body: [{ indexes }] }],
  },
  {
    name: 'snapshot',
    everySeconds: 180,
    calls: () => [{ method: 'POST', path: '/snapshots' }],
  },
  { name: 'dump', everySeconds: 420, calls: () => [{ method: 'POST', path: '/dumps' }] },
  {
    name: 'index made and deleted',
    everySeconds: 50,
    calls: ({ films }, nth) => [
      { method: 'POST', path: '/indexes', body: { uid: `short-${nth}`, primaryKey: 'id' } },
      { method: 'POST', path: `/indexes/short-${nth}/documents`, body: films.slice(0, 100) },
      { method: 'DELETE', path: `/indexes/short-${nth}` },
    ],
  },
  {
    name: 'cancelation',
    everySeconds: 45,
    calls: (source) => [
      ...Array.from({ length: 5 }, () => add(source)),
      { method: 'POST', path: '/tasks/cancel?types=documentAdditionOrUpdate&statuses=enqueued' },
    ],
  },
  {
    name: 'compaction',
    everySeconds: 300,
    calls: ({ indexes }, nth) => [
      { method: 'POST', path: `/indexes/${indexes[nth % indexes.length]}/compact` },
    ],
  },
  {
    name: 'forgetting of tasks',
    everySeconds: 60,
    calls: () => {
      const before = new Date(Date.now() - KEPT_MS).toISOString();
      return [{ method: 'DELETE', path: `/tasks?beforeFinishedAt=${before}` }];
    },
  },
];
