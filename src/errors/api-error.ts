import { ERROR_CODES, type ErrorCode } from './codes.js';
import { DOCS_URL } from './docs-url.js';

/** The JSON object that describes an error on the wire and in a failed task. */
export interface ErrorBody {
  message: string;
  code: string;
  type: string;
  link: string;
}

/** A refusal; anything else that goes wrong is reported as `internal`. Programs know it as `ServalError`. */
export class ApiError extends Error {
  override readonly name: string = 'ServalError';
  /** Tells refusals apart, whatever their message. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  /** The HTTP status that goes with the code. */
  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

/** The error object of a code and message; its keys are in the order of the wire. */
export function errorBody(code: ErrorCode, message: string): ErrorBody {
  return { message, code, type: ERROR_CODES[code].type, link: `${DOCS_URL}/errors#${code}` };
}
