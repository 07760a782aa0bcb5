/**
 * Bytes that are added at the end and taken from the start. However long nothing is taken, adding costs no more than
 * the bytes that are added; what was taken stays as it is.
 */
export class GrowingBytes {
  #memory: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  /** All that is there. */
  get all(): Buffer {
    return this.#memory.subarray(this.#start, this.#end);
  }

  add(piece: Buffer): void {
    const length = this.#end - this.#start;
    if (length === 0) {
      this.#memory = piece;
      this.#start = 0;
      this.#end = piece.length;
      return;
    }
    if (this.#memory.length - this.#end < piece.length) {
      // Short rests are the rule, and want no room for more than the next piece.
      const room = (length + piece.length) * (length > piece.length ? 2 : 1);
      const memory = Buffer.allocUnsafe(room);
      this.all.copy(memory);
      this.#memory = memory;
      this.#start = 0;
      this.#end = length;
    }
    this.#end += piece.copy(this.#memory, this.#end);
  }

  /** Takes bytes from the start. */
  take(length: number): void {
    this.#start += length;
  }
}
