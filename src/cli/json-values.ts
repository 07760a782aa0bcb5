import { GrowingBytes } from './growing-bytes.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Cuts JSON into its documents as it comes in: the elements of a list, or values one after another.
 * Values are not read, so numbers of any size stay as they are; what is no JSON is left to whoever
 * reads the pieces.
 */
export class JsonValues {
  readonly #kept = new GrowingBytes();
  #rest: Buffer = this.#kept.all;
  /** Where in the rest the scan goes on. */
  #at = 0;
  /** Lists and objects that are open; the outer list does not count. */
  #depth = 0;
  #isInText = false;
  #isList: boolean | undefined;
  /** Where in the rest the current value begins; -1 between values. */
  #start = -1;
  /** Whether the outer list has ended. */
  isOver = false;

  /** Whether a list has begun that has not ended. */
  get isUnfinished(): boolean {
    return this.#isList === true && !this.isOver;
  }

  /** The values that are complete with one more piece. */
  add(piece: Buffer): Buffer[] {
    this.#kept.add(piece);
    this.#rest = this.#kept.all;
    const values: Buffer[] = [];
    for (; this.#at < this.#rest.length && !this.isOver; this.#at += 1) this.#step(values);
    const used = this.#start === -1 ? this.#at : this.#start;
    this.#kept.take(used);
    this.#rest = this.#kept.all;
    this.#at -= used;
    if (this.#start !== -1) this.#start = 0;
    return values;
  }

  /** What is left: nothing, or a value that was not completed. */
  end(): Buffer {
    return this.#rest;
  }

  #step(values: Buffer[]): void {
    const byte = this.#rest[this.#at] as number;
    if (this.#isInText) {
      if (byte === BACKSLASH) this.#at += 1;
      else if (byte === QUOTE) this.#isInText = false;
      return;
    }
    if (this.#isList === undefined && !BLANK.has(byte)) {
      this.#isList = byte === 0x5b;
      if (this.#isList) return;
    }
    if (this.#depth === 0 && (byte === COMMA || BLANK.has(byte) || byte === 0x5d)) {
      this.#finish(values, this.#at);
      if (byte === 0x5d && this.#isList === true) this.isOver = true;
      return;
    }
    if (this.#start === -1) this.#start = this.#at;
    if (byte === QUOTE) this.#isInText = true;
    else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) this.#close(values);
  }

  #close(values: Buffer[]): void {
    this.#depth -= 1;
    if (this.#depth === 0) this.#finish(values, this.#at + 1);
  }

  #finish(values: Buffer[], end: number): void {
    if (this.#start !== -1) values.push(this.#rest.subarray(this.#start, end));
    this.#start = -1;
  }
}

const RESULTS = Buffer.from('{"results":');

/** The documents of a page as they stand in it, and how many there are in all. */
export function documentsOfPage(page: Buffer): { documents: Buffer[]; total: number } {
  const { total, results } = pageWithout(page);
  if (results !== undefined) {
    return { documents: results.map((one) => Buffer.from(JSON.stringify(one))), total };
  }
  return { documents: new JsonValues().add(page.subarray(RESULTS.length)), total };
}

/** What a page says beside its documents; with them where they do not come first. */
function pageWithout(page: Buffer): { total: number; results?: unknown[] } {
  const end = page.lastIndexOf(']');
  const rest = page.subarray(end + 1).toString();
  if (page.subarray(0, RESULTS.length).equals(RESULTS) && /^,"offset":\d+,.*\}\s*$/s.test(rest)) {
    return JSON.parse(`{${rest.slice(1)}`);
  }
  return JSON.parse(page.toString());
}
