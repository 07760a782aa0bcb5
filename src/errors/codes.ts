import { PARAMETER_CODES } from './parameter-codes.js';
import { SINGLE_CODES } from './single-codes.js';

/** Every code the API can return. `docs/errors.md` is generated from this table. */
export const ERROR_CODES = { ...SINGLE_CODES, ...PARAMETER_CODES };

/** The name of an error, as in the `code` field of an error body. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether text from outside (the engine, a stored task) is a known code. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}
