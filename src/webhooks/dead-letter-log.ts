import { appendFile, rename, stat, truncate } from 'node:fs/promises';
import { WriteOrder } from '../records/write-order.js';

/** A file of this many bytes is put aside; the one put aside before is removed. */
const MAX_BYTES = 4 << 20;

/** A batch that an address was not told of. */
export interface DeadLetter {
  /** The address, without user and password. */
  readonly url: string;
  readonly batchUid: number;
  readonly attempts: number;
  /** Why the last one failed. */
  readonly error: string;
}

/**
 * What was given up, a line of JSON each, in a file that stays small: `path`, and `path.1` with what
 * came before. Holds no header.
 */
export class DeadLetterLog {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #order = new WriteOrder();
  #bytes: number | undefined;

  constructor(path: string, maxBytes = MAX_BYTES) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Writes a line; resolves once it was handed to the system. */
  add({ url, batchUid, attempts, error }: DeadLetter): Promise<void> {
    const time = new Date().toISOString();
    const entry = { time, url, batchUid, attempts, error };
    return this.#order.inTurn(() => this.#append(`${JSON.stringify(entry)}\n`));
  }

  async #append(line: string): Promise<void> {
    this.#bytes ??= await stat(this.#path).then(
      ({ size }) => size,
      () => 0,
    );
    if (this.#bytes > 0 && this.#bytes + line.length > this.#maxBytes) {
      await rename(this.#path, `${this.#path}.1`);
      this.#bytes = 0;
    }
    const before = this.#bytes;
    // Until the line is there whole, the length of the file is not known.
    this.#bytes = undefined;
    try {
      await appendFile(this.#path, line, { mode: 0o600 });
    } catch (error) {
      // A part of a line would spoil the next one.
      await truncate(this.#path, before).catch(() => undefined);
      throw error;
    }
    this.#bytes = before + Buffer.byteLength(line);
  }
}
