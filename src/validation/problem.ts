import type { ErrorCode } from '../errors/codes.js';

/** The first thing wrong with a request, ready to be answered. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What decoding gives: a value that fits its schema, or the first problem. Nothing is thrown. */
export type Decoded<T> = { readonly value: T } | { readonly problem: Problem };

/** The outcome of decoding that failed. */
export function refused(code: ErrorCode, message: string): { readonly problem: Problem } {
  return { problem: { code, message } };
}
