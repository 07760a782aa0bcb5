// Reads of several indexes at once, each with exactly what has to be read.
import { ALL, found, inOrder, NO_INDEX, someQuery } from './reads-of-one.mjs';

/**
 * @typedef {import('../../bench/random.mjs').Random} Random
 * @typedef {import('./model.mjs').Model} Model
 * @typedef {import('./reads-of-one.mjs').Read} Read
 *
 * @typedef {(uids: readonly string[], model: Model, random: Random) => Read} Kind
 */

/** One query, answered for each index. @type {Kind} */
function multi(uids, model, random) {
  const query = someQuery(random);
  const right = uids.map((uid) => {
    const index = model.indexes.get(uid);
    return index && [uid, inOrder(found(index, query))];
  });
  const rest = { q: query.join(' '), matchingStrategy: 'all', limit: ALL };
  return {
    name: 'multi-search',
    method: 'POST',
    path: '/multi-search',
    body: { queries: uids.map((indexUid) => ({ indexUid, ...rest })) },
    seen: ({ results }) =>
      results.map((/** @type {any} */ { indexUid, hits }) => [indexUid, inOrder(hits)]),
    expected: right.includes(undefined) ? NO_INDEX : right,
  };
}

/** One query, answered with one list. @type {Kind} */
function federated(uids, model, random) {
  const query = someQuery(random);
  const isMissing = uids.some((uid) => !model.indexes.has(uid));
  const right = [...model.indexes]
    .filter(([uid]) => uids.includes(uid))
    .flatMap(([uid, index]) => found(index, query).map(({ n }) => `${uid} ${n}`));
  const rest = { q: query.join(' '), matchingStrategy: 'all' };
  return {
    name: 'federated search',
    method: 'POST',
    path: '/multi-search',
    body: {
      federation: { limit: right.length + 1 },
      queries: uids.map((indexUid) => ({ indexUid, ...rest })),
    },
    seen: ({ hits }) =>
      hits.map((/** @type {any} */ { _federation, n }) => `${_federation.indexUid} ${n}`).sort(),
    expected: isMissing ? NO_INDEX : right.sort(),
  };
}

/** The numbers of documents, as told of all indexes at once. @type {Kind} */
export function statistics(uids, model) {
  return {
    name: 'statistics',
    method: 'GET',
    path: '/stats',
    seen: ({ indexes }) => uids.map((uid) => indexes[uid]?.numberOfDocuments ?? null),
    expected: uids.map((uid) => model.indexes.get(uid)?.rows.size ?? null),
  };
}

const KINDS = [multi, multi, federated, federated, statistics];

/** @type {Kind} */
export function someReadOfMany(uids, model, random) {
  return random.pick(KINDS)(uids, model, random);
}
