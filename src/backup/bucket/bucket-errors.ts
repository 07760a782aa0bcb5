import { ApiError } from '../../errors/api-error.js';
import { xmlText } from './xml-element.js';

/** Answers from here on are the fault of the server. */
const SERVER_ERROR = 500;
/** Answers that say: not now. */
const TRY_AGAIN = new Set([408, 429]);
/** Characters of an answer that are shown. */
const SHOWN = 500;

/** Whether asking again may help. */
export function isPassing(status: number): boolean {
  return status >= SERVER_ERROR || TRY_AGAIN.has(status);
}

/** The error of an answer that says no. */
export function refusal(status: number, body: string): ApiError {
  const code = isPassing(status) ? 's3_snapshot_server_error' : 'invalid_s3_snapshot_request';
  const [reason, text] = [xmlText(body, 'Code'), xmlText(body, 'Message')];
  const said = reason === undefined ? body.slice(0, SHOWN) : `${reason}: ${text ?? ''}`;
  return new ApiError(code, `S3 answered with the status ${status}. ${said}`.trim());
}

/** The error of a server that did not answer. */
export function unreachable(error: unknown): ApiError {
  const reasons: string[] = [];
  for (let at = error; at instanceof Error && reasons.length < 4; at = at.cause) {
    if (at.message !== '') reasons.push(at.message);
  }
  const text = `S3 could not be reached: ${reasons.join(': ')}`;
  return new ApiError('s3_snapshot_server_error', text, { cause: error });
}
