import { Readable } from 'node:stream';

/** Characters that wait for one slow listener at the most. */
const MAX_WAITING = 1 << 20;
/** Bytes that are handed to a connection ahead of its client. */
const READ_AHEAD = 16 << 10;
/** Milliseconds that a listener has, once the stream ends, to read what is left. */
const END_MS = 2000;

/**
 * States of objects for one listener. While it is slow, only the newest state of each object waits
 * for it, and of very many objects only those that changed last: memory stays bounded and nobody
 * waits for a listener.
 */
export class ChangeStream extends Readable {
  readonly #waiting = new Map<number, string>();
  #waitingLength = 0;
  #isWanted = false;
  #isEnding = false;

  constructor() {
    super({ highWaterMark: READ_AHEAD });
  }

  /** Gives the new state of an object, in place of one that still waits. */
  give(uid: number, text: string): void {
    if (this.#isEnding || this.destroyed) return;
    this.#take(uid);
    this.#waiting.set(uid, text);
    this.#waitingLength += text.length;
    for (const oldest of this.#waiting.keys()) {
      if (this.#waitingLength <= MAX_WAITING || oldest === uid) break;
      this.#take(oldest);
    }
    this.#flush();
  }

  /** Ends the stream after what waits; a listener that does not read it in time is cut off. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setTimeout(() => this.destroy(), END_MS).unref();
    this.#flush();
  }

  override _read(): void {
    this.#isWanted = true;
    this.#flush();
  }

  #flush(): void {
    for (const uid of this.#waiting.keys()) {
      if (!this.#isWanted) return;
      this.#isWanted = this.push(this.#take(uid));
    }
    if (this.#isEnding && this.#waiting.size === 0 && !this.readableEnded) this.push(null);
  }

  #take(uid: number): string {
    const text = this.#waiting.get(uid) ?? '';
    this.#waiting.delete(uid);
    this.#waitingLength -= text.length;
    return text;
  }
}
