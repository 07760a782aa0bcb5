import * as binding from '../../native/binding.cjs';
import { reasonOf } from '../errors/error-reason.js';

/** Makes vectors of what the engine asks for; `request` is `{embedder, settings, texts}`. */
export type EmbedDocuments = (
  request: { embedder: string; settings: object; texts: readonly string[] },
  signal: AbortSignal,
) => Promise<Float32Array[]>;

interface AnswerBinding {
  answerEmbedding(
    number: number,
    dimensions: number,
    numbers: Buffer | null,
    failure: string | null,
  ): void;
}

const { answerEmbedding } = binding as AnswerBinding;

/** Answers one request of an indexing thread; never throws, since nobody would see it. */
export async function answerRequest(
  embed: EmbedDocuments,
  number: number,
  request: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const vectors = await embed(JSON.parse(request), signal);
    const dimensions = vectors[0]?.length ?? 0;
    const odd = vectors.find(({ length }) => length !== dimensions);
    if (odd !== undefined) {
      throw new Error(
        `runtime error: embeddings of dimensions \`${dimensions}\` and \`${odd.length}\` came together`,
      );
    }
    answerEmbedding(number, dimensions, joined(vectors), null);
  } catch (error) {
    answerEmbedding(number, 0, null, reasonOf(error));
  }
}

function joined(vectors: readonly Float32Array[]): Buffer {
  return Buffer.concat(
    vectors.map(
      ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
    ),
  );
}
