/**
 * What was proven of the tokens that were used last, by their digests: those of the last so many are
 * known, and at most twice as many are kept.
 */
export class RecentTokens<Proof> {
  readonly #capacity: number;
  #recent = new Map<string, Proof>();
  /** Those before, forgotten as a whole once there are as many newer ones. */
  #earlier = new Map<string, Proof>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** What was proven of a token, if it is remembered. */
  get(digest: string): Proof | undefined {
    const proof = this.#recent.get(digest);
    if (proof !== undefined) return proof;
    const earlier = this.#earlier.get(digest);
    if (earlier !== undefined) this.put(digest, earlier);
    return earlier;
  }

  /** Remembers what was proven of a token. */
  put(digest: string, proof: Proof): void {
    if (this.#recent.size >= this.#capacity) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(digest, proof);
  }
}
