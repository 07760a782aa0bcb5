import { setTimeout as sleep } from 'node:timers/promises';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import { timeLimit } from '../waiting/time-limit.js';
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

/** Why a request failed, and how long to wait before the next try; final without a time. */
class Failed extends Error {
  readonly reason: EmbeddingError;
  readonly waitMs: ((retry: number) => number) | undefined;

  constructor(reason: EmbeddingError, waitMs?: (retry: number) => number) {
    super(reason.message);
    this.reason = reason;
    this.waitMs = waitMs;
  }
}

const backoff = (retry: number): number => Math.min(10 ** retry, MAX_WAIT_MS);

/** Sends a request until `read` takes its answer; gives up on what another try cannot heal. */
export async function request<T>(
  send: Fetch,
  asked: EmbeddingRequest,
  read: (answer: unknown) => T,
): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return read(await attempt(send, asked));
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      if (error.waitMs === undefined || retry === MAX_RETRIES) throw error.reason;
      await wait(error.waitMs(retry), asked.signal, error.reason);
    }
  }
}

async function wait(ms: number, signal: AbortSignal, reason: EmbeddingError): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw reason;
  }
}

async function attempt(send: Fetch, { url, headers, body, signal }: EmbeddingRequest) {
  const limited = AbortSignal.any([signal, timeLimit(TIMEOUT_MS)]);
  let status: number;
  let retryAfter: string | null;
  let text: string;
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
    text = await readText(response);
  } catch (error) {
    if (error instanceof Failed) throw error;
    throw unreachable(error, signal);
  }
  if (status >= 200 && status < 300) return parse(text);
  throw refusal(status, text, retryAfter);
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_RESPONSE_BYTES) {
      const reason = `the answer of the embedding server is larger than ${MAX_RESPONSE_BYTES} bytes`;
      throw new Failed(new EmbeddingError('runtime', reason));
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function unreachable(error: unknown, signal: AbortSignal): Failed {
  if (signal.aborted) {
    return new Failed(new EmbeddingError('runtime', 'the time for embedding is over'));
  }
  const inner = error instanceof Error ? (causeOf(error) ?? error.message) : String(error);
  const reason = `could not reach embedding server:\n  - ${inner}`;
  const isFinal = error instanceof RejectedIpError;
  return new Failed(new EmbeddingError('runtime', reason), isFinal ? undefined : backoff);
}

function causeOf({ cause }: Error): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return cause.message || (cause as NodeJS.ErrnoException).code;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const reason = `error deserializing the response body as JSON:\n  - ${detail}`;
    throw new Failed(new EmbeddingError('runtime', reason), backoff);
  }
}

function refusal(status: number, text: string, retryAfter: string | null): Failed {
  const shown = text.trim().slice(0, SHOWN_CHARACTERS);
  const reply = shown === '' ? '' : `\n  - server replied with \`${shown}\``;
  const failed = (fault: 'user' | 'runtime', reason: string) =>
    new EmbeddingError(fault, `${reason}${reply}`);
  if (status === 401 || status === 403) {
    return new Failed(failed('user', 'could not authenticate against embedding server'));
  }
  if (status === 429) {
    const least = retryAfterMs(retryAfter);
    return new Failed(failed('runtime', 'sent too many requests to embedding server'), (retry) =>
      Math.min(Math.max(backoff(retry) + CROWDED_MS, least), MAX_WAIT_MS),
    );
  }
  if (status === 400) {
    return new Failed(failed('user', 'sent a bad request to embedding server'));
  }
  if (status >= 500) {
    const reason = `received internal error HTTP ${status} from embedding server`;
    return new Failed(failed('runtime', reason), backoff);
  }
  const reason = `received unexpected HTTP ${status} from embedding server`;
  return new Failed(failed(status < 500 && status >= 400 ? 'user' : 'runtime', reason));
}

/** Seconds, or a date; nothing that can be read is no wait. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(ms, 0);
}
