import type { ErrorCode } from '../errors/codes.js';
import type { LONG_JSON_WORK } from './long-json-work.js';

/** The kinds of work. */
export type Work = typeof LONG_JSON_WORK;

/** What the thread is asked. */
export interface Asked {
  readonly call: number;
  readonly name: keyof Work;
  readonly given: readonly unknown[];
}

/** What it answers: a value, a refusal, or a failure. */
export type Answered = { readonly call: number } & (
  | { readonly value: unknown }
  | { readonly code: ErrorCode; readonly message: string }
  | { readonly failure: string }
);

/** The memory of bytes that can go with a message, rather than to be copied: it holds nothing else. */
export function ownMemory({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
