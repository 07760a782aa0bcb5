import { ApiError } from '../errors/api-error.js';
import { isErrorCode } from '../errors/codes.js';
import { messageOf } from '../errors/system-error.js';
import type { Outcome } from './outcome.js';
import { SearchAborted } from './search-aborted.js';

/** The result of a native call; throws an `ApiError` with the code of its failure. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (!('error' in outcome)) return outcome.ok;
  const { code, message } = outcome.error;
  throw code === 'aborted' ? new SearchAborted() : nativeError(code, message);
}

/** An error that came from native code; codes missing from the table become `internal`. */
export function nativeError(code: string, message: string): ApiError {
  const known = isErrorCode(code) ? code : 'internal';
  return new ApiError(known, messageOf(known, message));
}
