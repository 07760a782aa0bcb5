import { startOfBody } from '../outgoing/bounded-body.js';
import { timeLimit } from '../waiting/time-limit.js';

/** A request to another server. */
export interface OutgoingRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly timeoutMs: number;
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** What the other server answered. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request; throws when there is no answer. Redirects are answers like others. */
export type SendRequest = (request: OutgoingRequest) => Promise<OutgoingAnswer>;

/** Longer answers are cut: only acknowledgements and errors are expected. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Sends requests with a client that is called like that of the platform. */
export function sendingBy(send: typeof fetch): SendRequest {
  return async ({ url, method, headers, body, timeoutMs, signal }) => {
    const response = await send(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeLimit(timeoutMs)]),
      ...(body === undefined ? {} : { body: new Uint8Array(body) }),
    });
    return { status: response.status, text: await startOfBody(response, MAX_ANSWER_BYTES) };
  };
}
