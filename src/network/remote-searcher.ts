import { PRODUCT_NAME } from '../config/product.js';
import { type ErrorBody, errorBody } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/codes.js';
import { boundedBody } from '../outgoing/bounded-body.js';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import { timeLimit } from '../waiting/time-limit.js';
import { doublingPauses, PassingFailure, withRetries } from '../waiting/with-retries.js';
import type { NetworkStore } from './network-store.js';

/** What another server is to do as its part of a larger search. */
export interface RemoteSearch {
  /** Name of the server in the network. */
  readonly remote: string;
  /** Where it is asked, below its address. */
  readonly path: string;
  readonly body: object;
  /** Whether documents are read, not searched: then with the key for writes, if it has one. */
  readonly readsDocuments?: boolean;
  /** Whether its answer is to say what was asked. */
  readonly metadata: boolean;
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** The answer of another server, or the error that stands for it. */
export type RemoteAnswer = { readonly answer: Buffer } | { readonly error: ErrorBody };

/** How other servers are asked. */
export interface RemoteSearcherOptions {
  readonly fetch?: typeof fetch;
  /** Milliseconds in which a server must have answered, tries and pauses included. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const PAUSES = doublingPauses(10, 3);
/** More bytes of an answer are not read. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
/** Characters of an answer that messages repeat. */
const SHOWN_CHARACTERS = 2000;

/** Why a try failed. */
class Failed extends Error {
  readonly body: ErrorBody;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.body = errorBody(code, message);
  }
}

/** Asks the other servers of the network, and remembers which of them answer. */
export class RemoteSearcher {
  readonly #network: NetworkStore;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;

  constructor(network: NetworkStore, options: RemoteSearcherOptions = {}) {
    this.#network = network;
    this.#fetch = options.fetch ?? fetch;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Asks a server; whatever goes wrong is its answer. */
  async ask(search: RemoteSearch): Promise<RemoteAnswer> {
    const deadline = timeLimit(this.#timeoutMs);
    const signal = AbortSignal.any([deadline, search.signal]);
    const attempt = () => this.#attempt(search, signal, deadline);
    try {
      const answer = await withRetries(attempt, PAUSES, signal);
      this.#network.setAvailable(search.remote, true);
      return { answer };
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      // Who was not waited for may well have answered.
      if (!search.signal.aborted) {
        this.#network.setAvailable(search.remote, isAnswer(error.body));
      }
      return { error: error.body };
    }
  }

  async #attempt(
    { remote, path, body, metadata, readsDocuments }: RemoteSearch,
    signal: AbortSignal,
    deadline: AbortSignal,
  ): Promise<Buffer> {
    const known = this.#network.current.remotes[remote];
    if (known === undefined) throw new Failed('remote_could_not_send_request', UNSENT);
    const { searchApiKey, writeApiKey } = known;
    const key = readsDocuments === true ? (writeApiKey ?? searchApiKey) : searchApiKey;
    let response: Response;
    let content: Buffer | undefined;
    try {
      response = await this.#fetch(`${known.url.replace(/\/+$/, '')}${path}`, {
        method: 'POST',
        headers: headersOf(key, metadata),
        body: JSON.stringify(body),
        redirect: 'manual',
        signal,
      });
      content = await boundedBody(response, MAX_ANSWER_BYTES);
    } catch (error) {
      throw unanswered(error, signal, deadline);
    }
    if (response.status === 200 && content !== undefined) return content;
    throw refusal(response.status, content);
  }
}

const UNSENT = 'error sending request';

/** Both spellings of each header: clients and servers of the reference engine know the second. */
function headersOf(key: string | null, metadata: boolean): Record<string, string> {
  return {
    'content-type': 'application/json',
    'svc-proxy-search': 'true',
    'meili-proxy-search': 'true',
    ...(metadata ? { 'svc-include-metadata': 'true', 'meili-include-metadata': 'true' } : {}),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
}

function isAnswer({ code }: ErrorBody): boolean {
  return code !== 'remote_timeout' && code !== 'remote_could_not_send_request';
}

function unanswered(error: unknown, signal: AbortSignal, deadline: AbortSignal): Error {
  if (deadline.aborted) {
    return new Failed('remote_timeout', 'remote host did not answer before the deadline');
  }
  const isRejected = error instanceof RejectedIpError;
  const message = isRejected ? `${UNSENT}: ${error.message}` : UNSENT;
  const failed = new Failed('remote_could_not_send_request', message);
  return isRejected || signal.aborted ? failed : new PassingFailure(failed);
}

function refusal(status: number, content: Buffer | undefined): Error {
  const shown = shownAnswer(content);
  const code = `remote host responded with code ${status}:\n  - response from remote: ${shown}`;
  if (status === 401 || status === 403) {
    const message =
      'could not authenticate against the remote host\n  - hint: check that the remote instance was registered with a valid API key having the `search` action';
    return new Failed('remote_invalid_api_key', message);
  }
  if (status >= 400 && status < 500) {
    const hints =
      '\n  - hint: check that the remote instance has the correct index configuration for that request\n  - hint: check that the `network` experimental feature is enabled on the remote instance';
    return new Failed('remote_bad_request', `${code}${hints}`);
  }
  if (status >= 500) return new PassingFailure(new Failed('remote_remote_error', code));
  return new Failed(
    'remote_bad_response',
    `could not parse response from the remote host as a federated search response:\n  - response from remote: ${shown}\n  - hint: check that the remote instance is a ${PRODUCT_NAME} instance running the same version`,
  );
}

/** The answer as messages repeat it: JSON in one line, other text as it is, neither at length. */
function shownAnswer(content: Buffer | undefined): string {
  if (content === undefined) return `more than ${MAX_ANSWER_BYTES} bytes`;
  const text = content.subarray(0, 4 * SHOWN_CHARACTERS).toString('utf8');
  try {
    return JSON.stringify(JSON.parse(text)).slice(0, SHOWN_CHARACTERS);
  } catch {
    return text.slice(0, SHOWN_CHARACTERS);
  }
}
