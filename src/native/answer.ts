import * as binding from '../../native/binding.cjs';
import { unwrap } from './unwrap.js';

/** Puts the answers of several servers together to one; all are JSON. */
export async function gatherAnswers(request: object, answers: readonly Buffer[]): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify(request));
  return unwrap(await binding.gatherAnswers(json, [...answers]));
}

/** The documents of the hits of an answer that no search rule has pinned, each as JSON. */
export async function unpinnedDocuments(answer: Buffer): Promise<string[]> {
  return unwrap(await binding.unpinnedDocuments(answer));
}

/** An answer with the hits that are not pinned in the order of these places among them. */
export async function reorderHits(answer: Buffer, order: readonly number[]): Promise<Buffer> {
  return unwrap(await binding.reorderHits(answer, [...order]));
}

/** One answer of parts in a row, which can be freed like others. The parts stay as they are. */
export function joinAnswer(parts: readonly Buffer[]): Buffer {
  return binding.joinAnswer([...parts]);
}

/** Content encodings of HTTP that are made on native threads. */
export type NativeEncoding = 'zstd' | 'gzip' | 'deflate';

/** Compresses an answer on a native thread, fast rather than small. */
export async function compressAnswer(answer: Buffer, encoding: NativeEncoding): Promise<Buffer> {
  return unwrap(await binding.compressAnswer(answer, encoding));
}

/**
 * Frees the memory of a large answer of the engine that nobody reads any more; it is empty after
 * that. Other buffers stay as they are.
 */
export function freeAnswer(answer: Buffer): void {
  binding.freeAnswer(answer);
}
