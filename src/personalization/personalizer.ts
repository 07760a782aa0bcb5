import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/codes.js';
import { reasonOf } from '../errors/error-reason.js';
import { reorderHits, unpinnedDocuments } from '../native/answer.js';
import { boundedBody } from '../outgoing/bounded-body.js';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import { timeLimit } from '../waiting/time-limit.js';
import { PassingFailure, type Pauses, withRetries } from '../waiting/with-retries.js';

/** The service that orders hits when nothing is said. */
export const DEFAULT_RERANK_URL = 'https://api.cohere.ai/v1/rerank';

const MODEL = 'rerank-english-v3.0';
const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 10;
const MAX_PAUSE_MS = 60_000;
/** Added to the pause after a refusal for too many requests. */
const CROWDED_MS = 100;
/** The code of that refusal. */
const CROWDED = 'too_many_search_requests';
const MAX_ANSWER_BYTES = 2 ** 20;
/** Characters of an answer that messages repeat. */
const SHOWN_CHARACTERS = 500;

/** The service, and how it is reached. */
export interface PersonalizerOptions {
  readonly apiKey: string;
  readonly url?: string | undefined;
  readonly fetch?: typeof fetch;
  /** The pauses before further tries; growing ones when absent. */
  readonly pauses?: Pauses;
}

/** For whom hits are ordered. */
export interface Taste {
  readonly userContext: string;
  /** The text searched for. */
  readonly q?: string | null | undefined;
  /** Milliseconds after which the hits stay as they are. */
  readonly leftMs: number;
}

/** Has the hits of a page ordered by a service that knows what a user likes. */
export class Personalizer {
  readonly #options: PersonalizerOptions;
  readonly #fetch: typeof fetch;

  constructor(options: PersonalizerOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
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
    const { pauses = growingPauses } = this.#options;
    try {
      return await withRetries(() => this.#attempt(body, timeIsOver), pauses, timeIsOver);
    } catch (error) {
      if (timeIsOver.aborted) return [];
      throw error;
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

/** The pauses before further tries; they vary by twice, so that many do not come back at once. */
export const growingPauses: Pauses = (retry, reason) => {
  if (retry === MAX_RETRIES) return undefined;
  const isCrowded = reason instanceof ApiError && reason.code === CROWDED;
  const ms = 10 ** retry + (isCrowded ? CROWDED_MS : 0);
  return Math.min(ms * (1 + Math.random()), MAX_PAUSE_MS);
};

function failure(code: ErrorCode, message: string): ApiError {
  return new ApiError(code, `Personalization service: ${message}`);
}

function unreachable(error: unknown): Error {
  const inner = reasonOf(error);
  const failed = failure('remote_could_not_send_request', `could not send request: ${inner}`);
  return error instanceof RejectedIpError ? failed : new PassingFailure(failed);
}

function refusal(status: number, content: Buffer | undefined): Error {
  const shown = content?.toString('utf8').trim().slice(0, SHOWN_CHARACTERS) ?? '';
  const message = shown === '' ? `answered ${status}` : `answered ${status}: ${shown}`;
  if (status === 401) return failure('remote_invalid_api_key', message);
  if (status === 429) return new PassingFailure(failure(CROWDED, message));
  if (status === 400) return failure('remote_bad_request', message);
  if (status >= 500) return new PassingFailure(failure('remote_remote_error', message));
  return failure('remote_bad_response', message);
}

/** The order that an answer gives: `{results: [{index}]}`. */
function orderIn(content: Buffer | undefined): number[] {
  const unreadable = (): ApiError =>
    failure('remote_bad_response', 'could not parse the response as an order of documents');
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
