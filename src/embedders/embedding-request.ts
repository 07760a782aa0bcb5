import { innermostReason, reasonOf } from '../errors/error-reason.js';
import { boundedBody } from '../outgoing/bounded-body.js';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import { timeLimit } from '../waiting/time-limit.js';
import { PassingFailure, type Pauses, withRetries } from '../waiting/with-retries.js';
import { EmbeddingError } from './embedding-error.js';

/** Sends requests; the one of the platform, or one that refuses some addresses. */
export type Fetch = typeof fetch;

/** A request to a service that embeds. */
export interface EmbeddingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

const MAX_RETRIES = 10;
const MAX_WAIT_MS = 60_000;
const TIMEOUT_MS = 30_000;
/** Added to the wait after a refusal for too many requests. */
const CROWDED_MS = 100;
const MAX_RESPONSE_BYTES = 64 * 2 ** 20;
/** Characters of an answer that messages repeat. */
const SHOWN_CHARACTERS = 500;

/** Too many requests were sent; the service says how long to wait at least. */
class CrowdedError extends EmbeddingError {
  readonly leastMs: number;

  constructor(reason: string, leastMs: number) {
    super('runtime', reason);
    this.leastMs = leastMs;
  }
}

const pauses: Pauses = (retry, reason) => {
  if (retry === MAX_RETRIES) return undefined;
  const ms = 10 ** retry;
  const isCrowded = reason instanceof CrowdedError;
  return Math.min(isCrowded ? Math.max(ms + CROWDED_MS, reason.leastMs) : ms, MAX_WAIT_MS);
};

/** Sends a request until `read` takes its answer; gives up on what another try cannot heal. */
export async function request<T>(
  send: Fetch,
  asked: EmbeddingRequest,
  read: (answer: unknown) => T,
): Promise<T> {
  return withRetries(async () => read(await attempt(send, asked)), pauses, asked.signal);
}

async function attempt(send: Fetch, { url, headers, body, signal }: EmbeddingRequest) {
  const limited = AbortSignal.any([signal, timeLimit(TIMEOUT_MS)]);
  let status: number;
  let retryAfter: string | null;
  let content: Buffer | undefined;
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: limited,
      redirect: 'error',
    });
    status = response.status;
    retryAfter = response.headers.get('retry-after');
    content = await boundedBody(response, MAX_RESPONSE_BYTES);
  } catch (error) {
    throw unreachable(error, signal);
  }
  if (content === undefined) {
    const reason = `the answer of the embedding server is larger than ${MAX_RESPONSE_BYTES} bytes`;
    throw new EmbeddingError('runtime', reason);
  }
  const text = content.toString('utf8');
  if (status >= 200 && status < 300) return parse(text);
  throw refusal(status, text, retryAfter);
}

function unreachable(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) {
    return new EmbeddingError('runtime', 'the time for embedding is over');
  }
  const inner = innermostReason(error);
  const reason = new EmbeddingError('runtime', `could not reach embedding server:\n  - ${inner}`);
  return error instanceof RejectedIpError ? reason : new PassingFailure(reason);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = `error deserializing the response body as JSON:\n  - ${reasonOf(error)}`;
    throw new PassingFailure(new EmbeddingError('runtime', reason));
  }
}

function refusal(status: number, text: string, retryAfter: string | null): Error {
  const shown = text.trim().slice(0, SHOWN_CHARACTERS);
  const reply = shown === '' ? '' : `\n  - server replied with \`${shown}\``;
  const failed = (fault: 'user' | 'runtime', reason: string) =>
    new EmbeddingError(fault, `${reason}${reply}`);
  if (status === 401 || status === 403) {
    return failed('user', 'could not authenticate against embedding server');
  }
  if (status === 429) {
    const reason = `sent too many requests to embedding server${reply}`;
    return new PassingFailure(new CrowdedError(reason, retryAfterMs(retryAfter)));
  }
  if (status === 400) {
    return failed('user', 'sent a bad request to embedding server');
  }
  if (status >= 500) {
    const reason = `received internal error HTTP ${status} from embedding server`;
    return new PassingFailure(failed('runtime', reason));
  }
  const reason = `received unexpected HTTP ${status} from embedding server`;
  return failed(status < 500 && status >= 400 ? 'user' : 'runtime', reason);
}

/** Seconds, or a date; nothing that can be read is no wait. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(ms, 0);
}
