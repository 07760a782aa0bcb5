/** Vectors of recent queries; the one used longest ago makes room. */
export class EmbeddingCache {
  readonly #capacity: number;
  readonly #vectors = new Map<string, Float32Array>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Float32Array | undefined {
    const vector = this.#vectors.get(key);
    if (vector === undefined) return undefined;
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    return vector;
  }

  put(key: string, vector: Float32Array): void {
    if (this.#capacity === 0) return;
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    const [oldest] = this.#vectors.keys();
    if (this.#vectors.size > this.#capacity && oldest !== undefined) this.#vectors.delete(oldest);
  }
}
