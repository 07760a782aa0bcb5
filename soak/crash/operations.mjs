// Random writes over a few indexes, and what each of them does to a model in plain maps.

const INDEXES = ['a', 'b', 'c', 'd'];
const LARGEST_ID = 400;
const LARGE = 3_000;

/**
 * @typedef {import('../../bench/random.mjs').Random} Random
 *
 * @typedef {{id: number, n: number, group?: number, [name: string]: unknown}} Row
 *
 * @typedef {object} ModelIndex
 * @property {Map<number, Row>} rows
 * @property {string[]} filterable
 * @property {string[]} stopWords
 *
 * @typedef {Map<string, ModelIndex>} Model
 *
 * @typedef {object} Operation
 * @property {string} type of its task
 * @property {string} method
 * @property {string} path
 * @property {unknown} body
 * @property {(model: Model) => boolean} apply changes the model; false when the task has to fail
 */

/** @returns {ModelIndex} */
const emptyIndex = () => ({ rows: new Map(), filterable: [], stopWords: [] });

/**
 * The index, made if it is not there.
 * @param {Model} model
 * @param {string} uid
 */
function made(model, uid) {
  const index = model.get(uid) ?? emptyIndex();
  model.set(uid, index);
  return index;
}

/**
 * Does something to an index that has to be there.
 * @param {string} uid
 * @param {(index: ModelIndex, model: Model) => void} change
 */
function onExisting(uid, change) {
  return (/** @type {Model} */ model) => {
    const index = model.get(uid);
    if (index === undefined) return false;
    change(index, model);
    return true;
  };
}

/**
 * @param {Random} random
 * @returns {Row[]}
 */
function rows(random) {
  const count = random.next() < 0.08 ? LARGE : random.between(1, 6);
  const first = random.between(1, LARGEST_ID);
  return Array.from({ length: count }, (_, at) => ({
    id: count === LARGE ? at : ((first + at * 7) % LARGEST_ID) + 1,
    n: random.between(0, 1000),
    group: random.between(0, 9),
    text: `words of ${random.between(0, 1 << 20)} ${'and more '.repeat(random.between(0, 6))}`,
  }));
}

/** @type {((random: Random, uid: string, nextTask: number) => Operation)[]} */
const KINDS = [
  add,
  add,
  add,
  update,
  update,
  remove,
  removeByFilter,
  edit,
  edit,
  configure,
  create,
  drop,
  rename,
  swap,
  compact,
  snapshot,
  dump,
  cancel,
  cancel,
];

/** @type {(random: Random, uid: string) => Operation} */
function add(random, uid) {
  const body = rows(random);
  return {
    type: 'documentAdditionOrUpdate',
    method: 'POST',
    path: `/indexes/${uid}/documents?primaryKey=id`,
    body,
    apply: (model) => {
      const index = made(model, uid);
      for (const row of body) index.rows.set(row.id, row);
      return true;
    },
  };
}

/** @type {(random: Random, uid: string) => Operation} */
function update(random, uid) {
  const body = rows(random).map(({ id, n }) => ({ id, n, [`field${id % 5}`]: n }));
  return {
    type: 'documentAdditionOrUpdate',
    method: 'PUT',
    path: `/indexes/${uid}/documents?primaryKey=id`,
    body,
    apply: (model) => {
      const index = made(model, uid);
      for (const row of body) index.rows.set(row.id, { ...index.rows.get(row.id), ...row });
      return true;
    },
  };
}

/** @type {(random: Random, uid: string) => Operation} */
function remove(random, uid) {
  const body = Array.from({ length: random.between(1, 20) }, () => random.between(1, LARGEST_ID));
  return {
    type: 'documentDeletion',
    method: 'POST',
    path: `/indexes/${uid}/documents/delete-batch`,
    body,
    apply: onExisting(uid, ({ rows }) => {
      for (const id of body) rows.delete(id);
    }),
  };
}

/** @type {(random: Random, uid: string) => Operation} */
function removeByFilter(random, uid) {
  const group = random.between(0, 9);
  return {
    type: 'documentDeletion',
    method: 'POST',
    path: `/indexes/${uid}/documents/delete`,
    body: { filter: `group = ${group}` },
    apply: (model) => {
      const index = model.get(uid);
      if (index === undefined || !index.filterable.includes('group')) return false;
      for (const row of [...index.rows.values()]) {
        if (row.group === group) index.rows.delete(row.id);
      }
      return true;
    },
  };
}

/** An edition that is seen when it is applied twice. @type {(random: Random, uid: string) => Operation} */
function edit(_, uid) {
  return {
    type: 'documentEdition',
    method: 'POST',
    path: `/indexes/${uid}/documents/edit`,
    body: { function: 'doc.n = doc.n + 1;' },
    apply: onExisting(uid, ({ rows }) => {
      for (const [id, row] of rows) rows.set(id, { ...row, n: row.n + 1 });
    }),
  };
}

/** @type {(random: Random, uid: string) => Operation} */
function configure(random, uid) {
  const filterable = random.pick([['group'], ['group', 'n'], ['group', 'field1', 'text']]);
  const stopWords = random.pick([[], ['and'], ['more', 'words']]);
  const body = random.next() < 0.6 ? { filterableAttributes: filterable } : { stopWords };
  return {
    type: 'settingsUpdate',
    method: 'PATCH',
    path: `/indexes/${uid}/settings`,
    body,
    apply: (model) => {
      const index = made(model, uid);
      if ('stopWords' in body) index.stopWords = stopWords;
      else index.filterable = filterable;
      return true;
    },
  };
}

/** @type {(random: Random, uid: string) => Operation} */
function create(_, uid) {
  return {
    type: 'indexCreation',
    method: 'POST',
    path: '/indexes',
    body: { uid, primaryKey: 'id' },
    apply: (model) => {
      if (model.has(uid)) return false;
      model.set(uid, emptyIndex());
      return true;
    },
  };
}

/** @type {(random: Random, uid: string) => Operation} */
function drop(_, uid) {
  return {
    type: 'indexDeletion',
    method: 'DELETE',
    path: `/indexes/${uid}`,
    body: undefined,
    apply: (model) => model.delete(uid),
  };
}

/** @type {(random: Random, uid: string) => Operation} */
function swap(random, uid) {
  const other = random.pick(INDEXES.filter((name) => name !== uid));
  return {
    type: 'indexSwap',
    method: 'POST',
    path: '/swap-indexes',
    body: [{ indexes: [uid, other] }],
    apply: (model) => {
      const [one, two] = [model.get(uid), model.get(other)];
      if (one === undefined || two === undefined) return false;
      model.set(uid, two).set(other, one);
      return true;
    },
  };
}

/** @type {(random: Random, uid: string) => Operation} */
function rename(random, uid) {
  const other = random.pick(INDEXES.filter((name) => name !== uid));
  return {
    type: 'indexUpdate',
    method: 'PATCH',
    path: `/indexes/${uid}`,
    body: { uid: other },
    apply: (model) => {
      const index = model.get(uid);
      if (index === undefined || model.has(other)) return false;
      model.delete(uid);
      model.set(other, index);
      return true;
    },
  };
}

/** Comes before older writes of the index, so it may not find it. @type {(random: Random, uid: string) => Operation} */
function compact(_, uid) {
  return {
    type: 'indexCompaction',
    method: 'POST',
    path: `/indexes/${uid}/compact`,
    body: undefined,
    apply: () => false,
  };
}

/** Some of the last tasks, or all that wait; what was canceled is told by the tasks. @type {(random: Random, uid: string, nextTask: number) => Operation} */
function cancel(random, _, nextTask) {
  const last = Array.from({ length: 4 }, () => Math.max(0, nextTask - random.between(1, 6)));
  const chosen = random.pick(['statuses=enqueued', 'statuses=processing', `uids=${last}`]);
  return {
    type: 'taskCancelation',
    method: 'POST',
    path: `/tasks/cancel?${chosen}`,
    body: undefined,
    apply: () => true,
  };
}

/** A copy of everything, which changes nothing. @type {() => Operation} */
function snapshot() {
  const apply = () => true;
  return { type: 'snapshotCreation', method: 'POST', path: '/snapshots', body: undefined, apply };
}

/** @type {() => Operation} */
function dump() {
  return {
    type: 'dumpCreation',
    method: 'POST',
    path: '/dumps',
    body: undefined,
    apply: () => true,
  };
}

/**
 * The next random write.
 * @param {Random} random
 * @param {number} nextTask the number that its task will have
 * @returns {Operation}
 */
export function randomOperation(random, nextTask) {
  return random.pick(KINDS)(random, random.pick(INDEXES), nextTask);
}
