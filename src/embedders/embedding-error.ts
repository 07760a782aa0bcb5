/** Who is to blame for a failed embedding. */
export type Fault = 'user' | 'runtime' | 'undecided';

/** Why texts could not be turned into vectors; its message never holds a key. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';
  readonly fault: Fault;

  constructor(fault: Fault, reason: string) {
    super(`${fault} error: ${reason}`);
    this.fault = fault;
  }
}
