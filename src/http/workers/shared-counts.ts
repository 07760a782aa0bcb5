import type { WaitingRoom } from '../search-queue.js';

const CHANGES = 0;
const WAITING = 1;

/** Counts in memory that all event loops share. */
export class SharedCounts implements WaitingRoom {
  readonly memory: SharedArrayBuffer;
  readonly #counts: Int32Array;

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#counts = new Int32Array(memory);
  }

  /** How many changes of the state were sent to every loop. */
  get changes(): number {
    return Atomics.load(this.#counts, CHANGES);
  }

  /** Counts a change that every loop has in its port. */
  addChange(): void {
    Atomics.add(this.#counts, CHANGES, 1);
  }

  /** How many searches wait, whichever loop they came to. */
  get waiting(): number {
    return Atomics.load(this.#counts, WAITING);
  }

  /** Counts searches that wait from now on, or do no more. */
  add(change: number): void {
    Atomics.add(this.#counts, WAITING, change);
  }
}
