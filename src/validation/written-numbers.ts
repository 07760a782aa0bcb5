import { type Kind, numberText } from './kinds.js';

/** A number of a body that JavaScript does not hold as it is written. */
export class WrittenNumber {
  /** What it is to the wire: `1.0` is no integer, an integer of 64 bits is one to its last digit. */
  readonly kind: Kind;
  /** The number as messages show it. */
  readonly text: string;

  constructor(kind: Kind, text: string) {
    this.kind = kind;
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** A value that has such numbers, and its JSON with them. */
export class WrittenJson {
  readonly value: unknown;
  readonly json: string;

  constructor(value: unknown, json: string) {
    this.value = value;
    this.json = json;
  }
}

/** The numbers of a body that JavaScript does not hold as they are written, by their path. */
export type WrittenNumbers = ReadonlyMap<string, WrittenNumber>;

/**
 * Texts without any of these have none: a fraction of zeros, an exponent, -0, more than 15 digits.
 * They stand where numbers can start, not inside of words: long lists of words are not walked through.
 */
const MAY_HAVE = /(?:^|[[:,\s])(?:-0(?!\.)|-?\d+(?:\.0*(?!\d)|(?:\.\d+)?[eE])|-?\d{16})/;
const BETWEEN = ' \t\r\n,:';
const ENDS = `${BETWEEN}]}`;
/** The longest path that is kept. Schemas name none that long, and each of many numbers would keep one. */
const MAX_PATH = 256;
/** The most numbers that are kept. */
const MAX_FOUND = 100_000;
const LARGEST = 2n ** 64n - 1n;
const SMALLEST = -(2n ** 63n);

/** A list or an object that the walk is in. */
interface Level {
  readonly path: string;
  /** How many elements of a list came before; `undefined` in an object. */
  index: number | undefined;
  /** The name that was read last, in an object. */
  name: string;
  /** Whether a name comes next, in an object. */
  awaitsName: boolean;
}

/**
 * Finds the whole numbers that a JSON text writes as fractions, or that do not fit 64 bits: to the
 * reader of bodies `1.0` is no integer, while `JSON.parse` makes it one. Finds the integers of 64 bits,
 * too, that `JSON.parse` rounds. The text must be JSON. Numbers at very long paths, and those beyond
 * very many, are left out, so that what is kept stays small beside the body.
 */
export function writtenNumbers(text: string): WrittenNumbers {
  const found = new Map<string, WrittenNumber>();
  if (!MAY_HAVE.test(text)) return found;
  const levels: Level[] = [];
  for (let at = 0; at < text.length; ) {
    const start = at;
    const first = text.charAt(at);
    at = tokenEnd(text, at);
    if (BETWEEN.includes(first)) continue;
    const level = levels.at(-1);
    if (first === '}' || first === ']') {
      levels.pop();
    } else if (first === '"' && level?.index === undefined && level?.awaitsName) {
      level.name = JSON.parse(text.slice(start, at));
      level.awaitsName = false;
    } else {
      const isNumber = first === '-' || (first >= '0' && first <= '9');
      const written = isNumber ? writtenNumber(text.slice(start, at)) : undefined;
      const path = pathOf(level);
      // A path that is too long is never looked at: its parts are not even joined.
      if (path.length <= MAX_PATH) {
        if (written === undefined) {
          // Of a name given twice the last value counts.
          if (found.size > 0 && level?.index === undefined) found.delete(path);
        } else if (found.size < MAX_FOUND) found.set(path, written);
      }
      const index = first === '[' ? 0 : undefined;
      const opened = first === '{' || first === '[' ? path : undefined;
      if (opened !== undefined) levels.push({ path: opened, index, name: '', awaitsName: true });
      if (level?.index !== undefined) level.index += 1;
      else if (level !== undefined) level.awaitsName = true;
    }
  }
  return found;
}

/** Where the token ends that begins here. Loops, not expressions: a body may be one long text. */
function tokenEnd(text: string, start: number): number {
  const first = text.charAt(start);
  if (first === '"') return stringEnd(text, start);
  let at = start + 1;
  if (!/[-\da-z]/.test(first)) return at;
  while (at < text.length && !ENDS.includes(text.charAt(at))) at += 1;
  return at;
}

/** Behind the closing quote: the next one that no odd number of backslashes is before. */
function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charAt(before) === '\\') before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
}

/** The path of the value that is read. */
function pathOf(level: Level | undefined): string {
  if (level === undefined) return '';
  const { path, index, name } = level;
  return index === undefined ? `${path}.${name}` : `${path}[${index}]`;
}

/** What a literal is where JavaScript does not hold it as it is written. */
function writtenNumber(literal: string): WrittenNumber | undefined {
  const value = Number(literal);
  if (!Number.isInteger(value)) return undefined;
  if (literal === '-0' || (Object.is(value, -0) && /[.eE]/.test(literal))) {
    return new WrittenNumber('number', '-0.0');
  }
  if (!/[.eE]/.test(literal)) {
    if (Number.isSafeInteger(value)) return undefined;
    const whole = BigInt(literal);
    if (whole <= LARGEST && whole >= SMALLEST) {
      return new WrittenNumber(whole < 0n ? 'negativeInteger' : 'positiveInteger', literal);
    }
  }
  const shown = numberText(value);
  return new WrittenNumber('number', shown.includes('e') ? shown : `${shown}.0`);
}
