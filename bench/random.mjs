// Random choices that are the same in every run: a 32-bit xorshift-multiply generator (splitmix32) from a seed.

export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, not including, 1. */
  next() {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /**
   * A whole number from `low` to `high`, both included.
   * @param {number} low
   * @param {number} high
   */
  between(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /**
   * One element of a list that is not empty.
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pick(list) {
    return /** @type {T} */ (list[this.between(0, list.length - 1)]);
  }

  /**
   * An element whose chance falls with its place: the first ones come often, the last ones rarely, as words do.
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pickSkewed(list) {
    return /** @type {T} */ (list[Math.floor(this.next() ** 3 * list.length)]);
  }
}
