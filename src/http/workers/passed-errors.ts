import { ApiError } from '../../errors/api-error.js';
import { isErrorCode } from '../../errors/codes.js';
import { SearchAborted } from '../../native/search-aborted.js';
import type { PassedError } from './messages.js';

const ABORTED = 'aborted';

/** An error as another thread can take it. */
export function passedError(error: unknown): PassedError {
  if (error instanceof SearchAborted) return { code: ABORTED, message: '' };
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: '', message, stack };
}

/** The error that another thread met. */
export function takenError({ code, message, stack }: PassedError): Error {
  if (code === ABORTED) return new SearchAborted();
  if (isErrorCode(code)) return new ApiError(code, message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
