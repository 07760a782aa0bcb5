import type { Family, Labels } from './exposition.js';

/** Label values that clients choose must not fill the memory: from here on they count together. */
const MAX_SERIES = 1000;
const OTHERS = 'other';

/** Counts what happens, apart for each combination of labels; bounded whatever the labels are. */
export class LabelledCounter {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  /** Adds to the count of a combination of labels; the same labels must come in the same order. */
  add(labels: Labels, amount = 1): void {
    const key = JSON.stringify(labels);
    const found = this.#series.get(key);
    if (found !== undefined) found.value += amount;
    else if (this.#series.size < MAX_SERIES) this.#series.set(key, { labels, value: amount });
    else this.#addToOthers(labels, amount);
  }

  /** The counts so far. */
  family(): Family {
    const samples = [...this.#series.values()];
    return { name: this.#name, help: this.#help, kind: 'counter', samples };
  }

  #addToOthers(labels: Labels, amount: number): void {
    const others = Object.fromEntries(Object.keys(labels).map((name) => [name, OTHERS]));
    const key = JSON.stringify(others);
    const value = (this.#series.get(key)?.value ?? 0) + amount;
    this.#series.set(key, { labels: others, value });
  }
}
