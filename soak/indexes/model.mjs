// What the server has to hold: every index in plain maps, and which of them a client works with at the moment.

/**
 * @typedef {import('../../bench/random.mjs').Random} Random
 *
 * @typedef {{id: number, n: number, group?: string, text?: string, [name: string]: unknown}} Row
 *
 * @typedef {object} Settings
 * @property {string[]} filterableAttributes in order
 * @property {string[]} sortableAttributes in order
 * @property {string[]} stopWords in order
 * @property {Record<string, string[]>} synonyms
 *
 * @typedef {{rows: Map<number, Row>, settings: Settings}} ModelIndex
 */

/** @returns {Settings} of an index that nobody changed */
export const firstSettings = () => ({
  filterableAttributes: [],
  sortableAttributes: [],
  stopWords: [],
  synonyms: {},
});

/** @returns {ModelIndex} */
export const emptyIndex = () => ({ rows: new Map(), settings: firstSettings() });

/** How often a client takes one of the indexes that come often, which are written to and merged again and again. */
const OFTEN = 0.5;

export class Model {
  /** @type {readonly string[]} all names, of indexes that are there and of those that are not */
  names;
  /** @type {Map<string, ModelIndex>} */
  indexes = new Map();
  /** @type {Set<string>} */
  #claimed = new Set();
  #lastNumber = 0;

  /** @param {number} count of names */
  constructor(count) {
    this.names = Array.from({ length: count }, (_, nth) => `tenant-${nth}`);
  }

  /** A number that no document has had; it tells the versions of all documents of all indexes apart. */
  nextNumber() {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  /**
   * The index, made if it is not there.
   * @param {string} uid
   */
  made(uid) {
    const index = this.indexes.get(uid) ?? emptyIndex();
    this.indexes.set(uid, index);
    return index;
  }

  /**
   * Up to so many names that nobody else works with until they are released: what is read of them is known exactly,
   * whatever happens to the others.
   * @param {Random} random
   * @param {number} most
   */
  claim(random, most) {
    /** @type {string[]} */
    const uids = [];
    for (let nth = 0; nth < most; nth += 1) {
      const uid = random.next() < OFTEN ? random.pickSkewed(this.names) : random.pick(this.names);
      if (this.#claimed.has(uid)) continue;
      this.#claimed.add(uid);
      uids.push(uid);
    }
    return uids;
  }

  /** @param {readonly string[]} uids */
  release(uids) {
    for (const uid of uids) this.#claimed.delete(uid);
  }

  /** Nobody works with any index any more. */
  releaseAll() {
    this.#claimed.clear();
  }
}
