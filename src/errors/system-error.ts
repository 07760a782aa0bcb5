import { ApiError } from './api-error.js';
import type { ErrorCode } from './codes.js';

/** What follows the message of a failure to read or write. */
const IO_HINT =
  ". This error generally happens when you have no space left on device or when your database doesn't have read or write right.";

/** Failures of the system that are told as what they are, by their names in Node. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  EDQUOT: 'no_space_left_on_device',
  EIO: 'io_error',
  EMFILE: 'too_many_open_files',
  ENFILE: 'too_many_open_files',
  ENOSPC: 'no_space_left_on_device',
};

/** The error of a failed call of the system; `undefined` for any other error. */
export function systemError(error: unknown): ApiError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code: name = '' } = error as NodeJS.ErrnoException;
  const code = Object.hasOwn(CODES, name) ? CODES[name] : undefined;
  return code === undefined ? undefined : new ApiError(code, messageOf(code, error.message));
}

/** Whether an error is a failed call of the system, of whatever kind. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** What is told of an error that nobody has words for: of the system the message, of others where it was thrown. */
export function unexpectedReason(error: unknown): string {
  if (isOfSystem(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The message of an error with what its code asks for. */
export function messageOf(code: ErrorCode, message: string): string {
  return code === 'io_error' && !message.endsWith(IO_HINT) ? `${message}${IO_HINT}` : message;
}
