import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/codes.js';
import { reorderHits, unpinnedDocuments } from '../native/answer.js';
import { boundedBody } from '../outgoing/bounded-body.js';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import { timeLimit } from '../waiting/time-limit.js';

/** The service that orders hits when nothing is said. */
export const DEFAULT_RERANK_URL = 'https://api.cohere.ai/v1/rerank';

const MODEL = 'rerank-english-v3.0';
const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 10;
const MAX_PAUSE_MS = 60_000;
/** Added to the pause after a refusal for too many requests. */
const CROWDED_MS = 100;
const MAX_ANSWER_BYTES = 2 ** 20;
/** Characters of an answer that messages repeat. */
const SHOWN_CHARACTERS = 500;

/** The service, and how it is reached. */
export interface PersonalizerOptions {
  readonly apiKey: string;
  readonly url?: string | undefined;
  readonly fetch?: typeof fetch;
  /** Waits between two tries; the timer of the platform when absent. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** For whom hits are ordered. */
export interface Taste {
  readonly userContext: string;
  /** The text searched for. */
  readonly q?: string | null | undefined;
  /** Milliseconds after which the hits stay as they are. */
  readonly leftMs: number;
}

/** Why a try failed, and how long to wait before the next one; final without a time. */
class Failed extends Error {
  readonly reason: ApiError;
  readonly extraMs: number | undefined;

  constructor(code: ErrorCode, message: string, extraMs?: number) {
    super(message);
    this.reason = new ApiError(code, `Personalization service: ${message}`);
    this.extraMs = extraMs;
  }
}

/** Has the hits of a page ordered by a service that knows what a user likes. */
export class Personalizer {
  readonly #options: PersonalizerOptions;
  readonly #fetch: typeof fetch;
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<unknown>;

  constructor(options: PersonalizerOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
    this.#pause = options.pause ?? ((ms, signal) => delay(ms, undefined, { signal }));
  }

  /** The answer with its hits in the order of a user's taste; pinned ones stay where they are. */
  async personalize(answer: Buffer, taste: Taste): Promise<Buffer> {
    const documents = await unpinnedDocuments(answer);
    return reorderHits(answer, await this.#order(documents, taste));
  }

  /** Places of documents, best first; none when the time is over. */
  async #order(documents: readonly string[], taste: Taste): Promise<number[]> {
    if (documents.length === 0 || taste.leftMs <= 0) return [];
    const context = `User Context: ${taste.userContext}`;
    const q = taste.q?.trim() ? taste.q : undefined;
    const query = q === undefined ? context : `${context}\nQuery: ${q}`;
    const body = JSON.stringify({ query, documents, model: MODEL });
    const timeIsOver = timeLimit(Math.ceil(taste.leftMs));
    for (let retry = 0; ; retry += 1) {
      try {
        return await this.#attempt(body, timeIsOver);
      } catch (error) {
        if (timeIsOver.aborted) return [];
        if (!(error instanceof Failed)) throw error;
        if (error.extraMs === undefined || retry === MAX_RETRIES) throw error.reason;
        await this.#wait(retry, error.extraMs, timeIsOver);
      }
      if (timeIsOver.aborted) return [];
    }
  }

  async #wait(retry: number, extraMs: number, signal: AbortSignal): Promise<void> {
    const ms = Math.min((10 ** retry + extraMs) * (1 + Math.random()), MAX_PAUSE_MS);
    try {
      await this.#pause(ms, signal);
    } catch (error) {
      // The caller sees that the time is over.
      if (!signal.aborted) throw error;
    }
  }

  async #attempt(body: string, timeIsOver: AbortSignal): Promise<number[]> {
    const { url = DEFAULT_RERANK_URL, apiKey } = this.#options;
    let status: number;
    let content: Buffer | undefined;
    try {
      const response = await this.#fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([timeIsOver, timeLimit(TIMEOUT_MS)]),
      });
      status = response.status;
      content = await boundedBody(response, MAX_ANSWER_BYTES);
    } catch (error) {
      throw unreachable(error);
    }
    if (status === 200) return orderIn(content);
    throw refusal(status, content);
  }
}

function unreachable(error: unknown): Failed {
  const inner = error instanceof Error ? error.message : String(error);
  const message = `could not send request: ${inner}`;
  const isFinal = error instanceof RejectedIpError;
  return new Failed('remote_could_not_send_request', message, isFinal ? undefined : 0);
}

function refusal(status: number, content: Buffer | undefined): Failed {
  const shown = content?.toString('utf8').trim().slice(0, SHOWN_CHARACTERS) ?? '';
  const message = shown === '' ? `answered ${status}` : `answered ${status}: ${shown}`;
  if (status === 401) return new Failed('remote_invalid_api_key', message);
  if (status === 429) return new Failed('too_many_search_requests', message, CROWDED_MS);
  if (status === 400) return new Failed('remote_bad_request', message);
  if (status >= 500) return new Failed('remote_remote_error', message, 0);
  return new Failed('remote_bad_response', message);
}

/** The order that an answer gives: `{results: [{index}]}`. */
function orderIn(content: Buffer | undefined): number[] {
  const unreadable = (): Failed =>
    new Failed('remote_bad_response', 'could not parse the response as an order of documents');
  let answer: unknown;
  try {
    answer = JSON.parse(content?.toString('utf8') ?? '');
  } catch {
    throw unreadable();
  }
  const { results } = (answer ?? {}) as { results?: unknown };
  if (!Array.isArray(results)) throw unreadable();
  return results.map((result: unknown) => {
    const { index } = (result ?? {}) as { index?: unknown };
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= 2 ** 32) {
      throw unreadable();
    }
    return index;
  });
}
