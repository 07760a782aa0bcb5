import * as binding from '../../native/binding.cjs';
import type { Outcome } from './outcome.js';

/** How the vectors of tokens become one. */
export type PoolingChoice = 'useModel' | 'forceMean' | 'forceCls';

/** How texts are embedded. */
export interface TransformerRun {
  readonly signal: AbortSignal;
  /** Threads for documents; 0 for the text of a query, which runs where searches do. */
  readonly threads: number;
}

/** A model in the memory of this process. */
export interface Transformer {
  /** Numbers of a vector. */
  readonly dimensions: number;
  /** One vector for each text, or why there are none; ends soon after the signal. */
  embed(texts: readonly string[], run: TransformerRun): Promise<Outcome<Float32Array[]>>;
}

/** Reads the model of a folder, off the event loop. */
export async function loadTransformer(
  folder: string,
  pooling: PoolingChoice,
): Promise<Outcome<Transformer>> {
  const outcome = await binding.NativeTransformer.load(folder, pooling);
  return 'ok' in outcome ? { ok: transformerOf(outcome.ok) } : outcome;
}

function transformerOf(native: binding.NativeTransformer): Transformer {
  const { dimensions } = native;
  return {
    dimensions,
    embed: async (texts, { signal, threads }) => {
      const stop = new binding.NativeStop();
      const onAbort = (): void => stop.stop();
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort);
      try {
        const outcome = await native.embed([...texts], threads, stop);
        return 'ok' in outcome ? { ok: vectorsOf(outcome.ok, dimensions) } : outcome;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

function vectorsOf(bytes: Buffer, dimensions: number): Float32Array[] {
  // A copy, because views of numbers must start at a multiple of four.
  const numbers = new Float32Array(new Uint8Array(bytes).buffer);
  const vectors: Float32Array[] = [];
  for (let at = 0; at < numbers.length; at += dimensions) {
    vectors.push(numbers.subarray(at, at + dimensions));
  }
  return vectors;
}
