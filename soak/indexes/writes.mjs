// Random writes, and what each does to the model.
import { GROUPS, SMALL_WORDS, someText, WORDS } from './words.mjs';

const LARGEST_ID = 300;
const NOT_THERE = 9_000;

/**
 * @typedef {import('../../bench/random.mjs').Random} Random
 * @typedef {import('./model.mjs').Model} Model
 * @typedef {import('./model.mjs').ModelIndex} ModelIndex
 * @typedef {import('./model.mjs').Row} Row
 *
 * @typedef {object} Write
 * @property {string} type of its task
 * @property {readonly string[]} uids the index that its task names, or the pair of a swap; none for a copy of everything
 * @property {string} method
 * @property {string} path
 * @property {unknown} [body]
 * @property {(model: Model) => string | undefined} apply changes the model; or the code with which the task has to fail
 *
 * @typedef {(uids: readonly [string, string], random: Random, model: Model) => Write} Kind
 */

/**
 * Does something to an index that has to be there.
 * @param {string} uid
 * @param {(index: ModelIndex) => string | undefined | void} change
 * @returns {Write['apply']}
 */
const onExisting = (uid, change) => (model) => {
  const index = model.indexes.get(uid);
  return index === undefined ? 'index_not_found' : (change(index) ?? undefined);
};

/** A few documents; seldom so many that they are a segment that is worth merging. @type {Kind} */
function add([uid], random, model) {
  const count = random.next() < 0.05 ? LARGEST_ID : random.between(1, 6);
  const first = random.between(1, LARGEST_ID);
  /** @type {Row[]} */
  const body = Array.from({ length: count }, (_, nth) => ({
    id: ((first + nth) % LARGEST_ID) + 1,
    n: model.nextNumber(),
    group: random.pick(GROUPS),
    text: someText(random),
  }));
  return {
    type: 'documentAdditionOrUpdate',
    uids: [uid],
    method: 'POST',
    path: `/indexes/${uid}/documents?primaryKey=id`,
    body,
    apply: (model) => {
      const { rows } = model.made(uid);
      for (const row of body) rows.set(row.id, row);
      return undefined;
    },
  };
}

/** @type {Kind} */
function update([uid], random, model) {
  /** @type {Row[]} */
  const body = Array.from({ length: random.between(1, 4) }, () => ({
    id: random.between(1, LARGEST_ID),
    n: model.nextNumber(),
    [`field${random.between(0, 2)}`]: random.between(0, 99),
  }));
  return {
    type: 'documentAdditionOrUpdate',
    uids: [uid],
    method: 'PUT',
    path: `/indexes/${uid}/documents?primaryKey=id`,
    body,
    apply: (model) => {
      const { rows } = model.made(uid);
      for (const row of body) rows.set(row.id, { ...rows.get(row.id), ...row });
      return undefined;
    },
  };
}

/** Some that are there; at times among thousands that are not. @type {Kind} */
function remove([uid], random, model) {
  const known = [...(model.indexes.get(uid)?.rows.keys() ?? [1])];
  const body = Array.from({ length: random.between(1, 3) }, () => random.pick([...known, 1]));
  if (random.next() < 0.1) {
    body.push(...Array.from({ length: NOT_THERE }, (_, nth) => LARGEST_ID + 1 + nth));
  }
  return {
    type: 'documentDeletion',
    uids: [uid],
    method: 'POST',
    path: `/indexes/${uid}/documents/delete-batch`,
    body,
    apply: onExisting(uid, ({ rows }) => {
      for (const id of body) rows.delete(id);
    }),
  };
}

/** @type {Kind} */
function removeByFilter([uid], random) {
  const group = random.pick(GROUPS);
  return {
    type: 'documentDeletion',
    uids: [uid],
    method: 'POST',
    path: `/indexes/${uid}/documents/delete`,
    body: { filter: `group = ${group}` },
    apply: onExisting(uid, ({ rows, settings }) => {
      if (!settings.filterableAttributes.includes('group')) return 'invalid_document_filter';
      for (const row of [...rows.values()]) if (row.group === group) rows.delete(row.id);
      return undefined;
    }),
  };
}

/** An edition that is seen when it is applied twice. @type {Kind} */
function edit([uid]) {
  return {
    type: 'documentEdition',
    uids: [uid],
    method: 'POST',
    path: `/indexes/${uid}/documents/edit`,
    body: { function: 'doc.edited = (doc.edited ?? 0) + 1;' },
    apply: onExisting(uid, ({ rows }) => {
      for (const [id, row] of rows) rows.set(id, { ...row, edited: Number(row.edited ?? 0) + 1 });
    }),
  };
}

/** @type {Kind} */
function configure([uid], random) {
  const [word, ...others] = [random.pick(WORDS), random.pick(WORDS), random.pick(WORDS)];
  const body = random.pick([
    { filterableAttributes: random.pick([[], ['group'], ['group', 'n']]) },
    { filterableAttributes: ['group'], sortableAttributes: random.pick([[], ['n']]) },
    { stopWords: random.pick([[], [random.pick(SMALL_WORDS)], [...SMALL_WORDS].sort()]) },
    { synonyms: random.pick([{}, { [word]: others.slice(0, 1) }, { [word]: others }]) },
  ]);
  return {
    type: 'settingsUpdate',
    uids: [uid],
    method: 'PATCH',
    path: `/indexes/${uid}/settings`,
    body,
    apply: (model) => {
      const { settings } = model.made(uid);
      Object.assign(settings, body);
      return undefined;
    },
  };
}

/** @type {Kind} */
function create([uid]) {
  return {
    type: 'indexCreation',
    uids: [uid],
    method: 'POST',
    path: '/indexes',
    body: { uid, primaryKey: 'id' },
    apply: (model) => {
      if (model.indexes.has(uid)) return 'index_already_exists';
      model.made(uid);
      return undefined;
    },
  };
}

/** @type {Kind} */
function drop([uid]) {
  return {
    type: 'indexDeletion',
    uids: [uid],
    method: 'DELETE',
    path: `/indexes/${uid}`,
    apply: (model) => (model.indexes.delete(uid) ? undefined : 'index_not_found'),
  };
}

/** @type {Kind} */
function swap([uid, other]) {
  return {
    type: 'indexSwap',
    uids: [uid, other],
    method: 'POST',
    path: '/swap-indexes',
    body: [{ indexes: [uid, other] }],
    apply: ({ indexes }) => {
      const [one, two] = [indexes.get(uid), indexes.get(other)];
      if (one === undefined || two === undefined) return 'index_not_found';
      indexes.set(uid, two).set(other, one);
      return undefined;
    },
  };
}

/** By its own route, or by that of swaps. @type {Kind} */
function rename([uid, other], random) {
  const bySwap = {
    type: 'indexSwap',
    uids: [uid, other],
    method: 'POST',
    path: '/swap-indexes',
    body: [{ indexes: [uid, other], rename: true }],
  };
  const byUpdate = {
    type: 'indexUpdate',
    uids: [uid],
    method: 'PATCH',
    path: `/indexes/${uid}`,
    body: { uid: other },
  };
  return {
    ...random.pick([bySwap, byUpdate]),
    apply: ({ indexes }) => {
      const index = indexes.get(uid);
      if (index === undefined) return 'index_not_found';
      if (indexes.has(other)) return 'index_already_exists';
      indexes.delete(uid);
      indexes.set(other, index);
      return undefined;
    },
  };
}

/** @type {Kind} */
function compact([uid]) {
  return {
    type: 'indexCompaction',
    uids: [uid],
    method: 'POST',
    path: `/indexes/${uid}/compact`,
    apply: onExisting(uid, () => undefined),
  };
}

/** Of documents and settings, which may come one behind the other without being waited for. */
const OF_CONTENT = [add, add, add, add, update, update, remove, remove, removeByFilter, edit];
const WITH_SETTINGS = [...OF_CONTENT, ...OF_CONTENT, configure, configure, configure];
const OF_INDEXES = [create, drop, drop, swap, swap, rename, rename, compact];
const MOST_IN_A_ROW = 5;

/**
 * One write, or some of the documents and settings of an index in a row.
 * @param {readonly [string, string]} uids nobody else works with
 * @param {Random} random
 * @param {Model} model
 */
export function someWrites(uids, random, model) {
  const some = (/** @type {readonly Kind[]} */ kinds) => random.pick(kinds)(uids, random, model);
  if (random.next() < 0.25) return [some(OF_INDEXES)];
  const count = random.next() < 0.7 ? 1 : random.between(2, MOST_IN_A_ROW);
  return Array.from({ length: count }, () => some(WITH_SETTINGS));
}

/**
 * The first documents of an index.
 * @param {string} uid
 * @param {Random} random
 * @param {Model} model
 */
export const firstWrite = (uid, random, model) => add([uid, uid], random, model);

/**
 * A copy of everything, which changes nothing.
 * @param {Random} random
 * @returns {Write}
 */
export const copy = (random) => ({
  ...random.pick([
    { type: 'snapshotCreation', path: '/snapshots' },
    { type: 'dumpCreation', path: '/dumps' },
  ]),
  uids: [],
  method: 'POST',
  apply: () => undefined,
});
