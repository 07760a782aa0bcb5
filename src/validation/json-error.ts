import { isUtf8 } from 'node:buffer';

/** Thrown inside the walk only: what is wrong, and how many bytes were read when it showed. */
class Fault extends Error {
  readonly reason: string;
  readonly bytesRead: number;

  constructor(reason: string, bytesRead: number) {
    super(reason);
    this.reason = reason;
    this.bytesRead = bytesRead;
  }
}

const code = (character: string): number => character.charCodeAt(0);
const QUOTE = code('"');
const BACKSLASH = code('\\');
const COMMA = code(',');
const COLON = code(':');
const OPEN_LIST = code('[');
const CLOSE_LIST = code(']');
const OPEN_OBJECT = code('{');
const CLOSE_OBJECT = code('}');
const MINUS = code('-');
const ZERO = code('0');
const NEWLINE = code('\n');
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === 0x09 || byte === 0x0d;
const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
const IDENTIFIERS = new Map([
  [code('n'), 'null'],
  [code('t'), 'true'],
  [code('f'), 'false'],
]);
const LONE_HALF = 'lone leading surrogate in hex escape';
const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
const ESCAPED = new Set([...'"\\/bfnrtu'].map(code));

/** Lists and objects inside each other that are too many. */
export const MAX_DEPTH = 128;

/**
 * Finds the first error of a JSON text, worded and placed as serde_json does: lines from 1, columns
 * in bytes. `undefined` when there is none. Nesting without end and halves of characters are
 * errors, too, which `JSON.parse` takes.
 */
export function jsonError(text: Buffer): string | undefined {
  try {
    new Walk(text).document();
    return undefined;
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return `${fault.reason} at ${position(text, fault.bytesRead)}`;
  }
}

/** Line and column after `bytesRead` bytes; the column counts from the last line break. */
function position(text: Buffer, bytesRead: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf(NEWLINE); at !== -1 && at < bytesRead; ) {
    line += 1;
    lineStart = at + 1;
    at = text.indexOf(NEWLINE, lineStart);
  }
  return `line ${line} column ${bytesRead - lineStart}`;
}

/** One pass over a JSON text. `next` is the byte to be read next. */
class Walk {
  private readonly text: Buffer;
  private next = 0;
  private depth = 0;

  constructor(text: Buffer) {
    this.text = text;
  }

  document(): void {
    this.value();
    if (this.peekPastSpace() !== undefined) throw this.atNext('trailing characters');
  }

  /** The fault of the byte that was only looked at, or of the end of the text. */
  private atNext(reason: string): Fault {
    return new Fault(reason, Math.min(this.text.length, this.next + 1));
  }

  /** The fault of the byte read last. */
  private atLast(reason: string): Fault {
    return new Fault(reason, this.next);
  }

  private peekPastSpace(): number | undefined {
    while (isSpace(this.text[this.next])) this.next += 1;
    return this.text[this.next];
  }

  private read(): number | undefined {
    const byte = this.text[this.next];
    if (byte !== undefined) this.next += 1;
    return byte;
  }

  private value(): void {
    const first = this.peekPastSpace();
    if (first === undefined) throw this.atNext('EOF while parsing a value');
    const identifier = IDENTIFIERS.get(first);
    if (identifier !== undefined) this.identifier(identifier);
    else if (first === QUOTE) this.string();
    else if (first === MINUS || isDigit(first)) this.number();
    else if (first === OPEN_LIST) this.nested(() => this.list());
    else if (first === OPEN_OBJECT) this.nested(() => this.object());
    else throw this.atNext('expected value');
  }

  private nested(walk: () => void): void {
    this.depth += 1;
    if (this.depth >= MAX_DEPTH) throw this.atNext('recursion limit exceeded');
    walk();
    this.depth -= 1;
  }

  private identifier(letters: string): void {
    for (const letter of letters) {
      const byte = this.read();
      if (byte === undefined) throw this.atLast('EOF while parsing a value');
      if (byte !== code(letter)) throw this.atLast('expected ident');
    }
  }

  private list(): void {
    this.next += 1;
    for (let first = true; ; first = false) {
      const byte = this.peekPastSpace();
      if (byte === undefined) throw this.atNext('EOF while parsing a list');
      if (byte === CLOSE_LIST) break;
      if (!first) this.listComma(byte);
      this.value();
    }
    this.next += 1;
  }

  private listComma(byte: number): void {
    if (byte !== COMMA) throw this.atNext('expected `,` or `]`');
    this.next += 1;
    const following = this.peekPastSpace();
    if (following === undefined) throw this.atNext('EOF while parsing a value');
    if (following === CLOSE_LIST) throw this.atNext('trailing comma');
  }

  private object(): void {
    this.next += 1;
    for (let first = true; ; first = false) {
      const byte = this.peekPastSpace();
      if (byte === undefined) throw this.atNext('EOF while parsing an object');
      if (byte === CLOSE_OBJECT) break;
      if (!first) this.objectComma(byte);
      else if (byte !== QUOTE) throw this.atNext('key must be a string');
      this.string();
      this.colon();
      this.value();
    }
    this.next += 1;
  }

  private objectComma(byte: number): void {
    if (byte !== COMMA) throw this.atNext('expected `,` or `}`');
    this.next += 1;
    const following = this.peekPastSpace();
    if (following === undefined) throw this.atNext('EOF while parsing a value');
    if (following === CLOSE_OBJECT) throw this.atNext('trailing comma');
    if (following !== QUOTE) throw this.atNext('key must be a string');
  }

  private colon(): void {
    const byte = this.peekPastSpace();
    if (byte === undefined) throw this.atNext('EOF while parsing an object');
    if (byte !== COLON) throw this.atNext('expected `:`');
    this.next += 1;
  }

  private string(): void {
    this.next += 1;
    const start = this.next;
    for (;;) {
      const byte = this.read();
      if (byte === undefined) throw this.atLast('EOF while parsing a string');
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) this.escape();
      else if (byte < 0x20) {
        throw this.atLast('control character (\\u0000-\\u001F) found while parsing a string');
      }
    }
    if (!isUtf8(this.text.subarray(start, this.next - 1))) {
      throw this.atLast('invalid unicode code point');
    }
  }

  private escape(): void {
    const byte = this.read();
    if (byte === undefined) throw this.atLast('EOF while parsing a string');
    if (!ESCAPED.has(byte)) throw this.atLast('invalid escape');
    if (byte === code('u')) this.escapedCharacter();
  }

  /** A character in one escape, or in two: half of one is none. */
  private escapedCharacter(): void {
    const first = this.hexDigits();
    if (isSecondHalf(first)) throw this.atLast(LONE_HALF);
    if (!isFirstHalf(first)) return;
    for (const expected of [BACKSLASH, code('u')]) {
      if (this.read() !== expected) throw this.atLast('unexpected end of hex escape');
    }
    if (!isSecondHalf(this.hexDigits())) throw this.atLast(LONE_HALF);
  }

  private hexDigits(): number {
    const digits = this.text.subarray(this.next, this.next + 4);
    this.next += digits.length;
    if (digits.length < 4) throw this.atLast('EOF while parsing a string');
    const hex = digits.toString('latin1');
    if (!/^[0-9a-f]{4}$/i.test(hex)) throw this.atLast('invalid escape');
    return Number.parseInt(hex, 16);
  }

  private number(): void {
    const start = this.next;
    if (this.text[this.next] === MINUS) this.next += 1;
    const first = this.read();
    if (first === undefined) throw this.atLast('EOF while parsing a value');
    if (!isDigit(first)) throw this.atLast('invalid number');
    if (first === ZERO && isDigit(this.text[this.next])) throw this.atNext('invalid number');
    this.digits();
    if (this.text[this.next] === code('.')) this.fraction();
    if (this.text[this.next] === code('e') || this.text[this.next] === code('E')) this.exponent();
    const literal = this.text.subarray(start, this.next).toString('latin1');
    if (!Number.isFinite(Number(literal))) throw this.atLast('number out of range');
  }

  private digits(): void {
    while (isDigit(this.text[this.next])) this.next += 1;
  }

  private fraction(): void {
    this.next += 1;
    const byte = this.text[this.next];
    if (byte === undefined) throw this.atNext('EOF while parsing a value');
    if (!isDigit(byte)) throw this.atNext('invalid number');
    this.digits();
  }

  private exponent(): void {
    this.next += 1;
    const sign = this.text[this.next];
    if (sign === code('+') || sign === MINUS) this.next += 1;
    const byte = this.read();
    if (byte === undefined) throw this.atLast('EOF while parsing a value');
    if (!isDigit(byte)) throw this.atLast('invalid number');
    this.digits();
  }
}
