import { GrowingBytes } from './growing-bytes.js';

/** Cuts bytes into records as they come in. */
export interface RecordCutter {
  add(piece: Buffer): Buffer[];
  /** What is left at the end, if it is a record. */
  end(): Buffer;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;

/** What a byte of CSV means depends on where in a field it stands. */
const FIELD_START = 0;
const PLAIN = 1;
const QUOTED = 2;
/** Behind a quote in a quoted field: another one stands for itself, everything else ends the quotes. */
const QUOTE_SEEN = 3;

/** Keeps bytes until the line that they belong to has ended. */
abstract class Lines implements RecordCutter {
  readonly #rest = new GrowingBytes();
  /** Where in the rest the scan goes on. */
  #at = 0;

  /** Whether a record ends at a byte; called once for each of them. */
  protected abstract endsAt(byte: number): boolean;

  add(piece: Buffer): Buffer[] {
    this.#rest.add(piece);
    const rest = this.#rest.all;
    const lines: Buffer[] = [];
    let start = 0;
    for (let at = this.#at; at < rest.length; at += 1) {
      if (!this.endsAt(rest[at] as number)) continue;
      if (at > start) lines.push(rest.subarray(start, at));
      start = at + 1;
    }
    this.#rest.take(start);
    this.#at = rest.length - start;
    return lines;
  }

  end(): Buffer {
    return this.#rest.all;
  }
}

/** Cuts at line ends. */
export class PlainLines extends Lines {
  protected endsAt(byte: number): boolean {
    return byte === NEWLINE;
  }
}

/**
 * Cuts CSV at line ends outside of quotes. As for who reads it, a quote opens a field only at its
 * start: that of `5" disk` is a character like others.
 */
export class CsvLines extends Lines {
  readonly #delimiter: number;
  #state = FIELD_START;

  constructor(delimiter: string) {
    super();
    this.#delimiter = Buffer.from(delimiter)[0] as number;
  }

  protected endsAt(byte: number): boolean {
    if (this.#state === QUOTED) {
      if (byte === QUOTE) this.#state = QUOTE_SEEN;
      return false;
    }
    if (byte === QUOTE && this.#state !== PLAIN) {
      this.#state = QUOTED;
      return false;
    }
    const isEnd = byte === NEWLINE || byte === RETURN;
    this.#state = isEnd || byte === this.#delimiter ? FIELD_START : PLAIN;
    return isEnd;
  }
}
