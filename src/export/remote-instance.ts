import { innermostReason } from '../errors/error-reason.js';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import { PassingFailure, withRetries } from '../waiting/with-retries.js';
import type { OutgoingAnswer, OutgoingRequest, SendRequest } from './outgoing-request.js';
import { DEFAULT_RETRY, pausesWithin, type RetryLimits } from './retry-limits.js';

/** How to reach another instance. */
export interface RemoteOptions {
  readonly url: string;
  readonly apiKey: string | null;
  readonly send: SendRequest;
  /** Aborted when nothing more should be sent. */
  readonly signal: AbortSignal;
  readonly retry?: RetryLimits | undefined;
}

/** Time for an answer, beside the time for the body. */
const TIMEOUT_MS = 5000;
/** The slowest network that large bodies get through. */
const LEAST_BYTES_PER_MS = 256;
/** Answers after which the same request may succeed. */
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);

/** Another instance that indexes are copied to. */
export class RemoteInstance {
  readonly #options: RemoteOptions;
  readonly #base: string;

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.#base = checkedBase(options.url);
  }

  /** Whether the other side has an index. */
  async hasIndex(uid: string): Promise<boolean> {
    const answer = await this.#send('GET', indexPath(uid));
    if (isSuccess(answer)) return true;
    if (answer.status === 404 && errorOf(answer).code === 'index_not_found') return false;
    throw refusal(answer);
  }

  createIndex(uid: string, primaryKey: string | null): Promise<void> {
    return this.#change('POST', '/indexes', { uid, primaryKey });
  }

  setPrimaryKey(uid: string, primaryKey: string): Promise<void> {
    return this.#change('PATCH', indexPath(uid), { primaryKey });
  }

  setSettings(uid: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#change('PATCH', `${indexPath(uid)}/settings`, settings);
  }

  /** Sends documents: NDJSON, compressed with gzip. */
  async addDocuments(uid: string, bytes: Buffer): Promise<void> {
    const headers = { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' };
    const answer = await this.#send('POST', `${indexPath(uid)}/documents`, headers, bytes);
    if (!isSuccess(answer)) throw refusal(answer);
  }

  async #change(method: 'POST' | 'PATCH', path: string, value: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await this.#send(method, path, headers, Buffer.from(JSON.stringify(value)));
    if (!isSuccess(answer)) throw refusal(answer);
  }

  #send(
    method: OutgoingRequest['method'],
    path: string,
    given: Readonly<Record<string, string>> = {},
    body?: Buffer,
  ): Promise<OutgoingAnswer> {
    const { apiKey, signal, retry = DEFAULT_RETRY } = this.#options;
    const headers = apiKey === null ? given : { ...given, Authorization: `Bearer ${apiKey}` };
    const timeoutMs = TIMEOUT_MS + Math.ceil((body?.length ?? 0) / LEAST_BYTES_PER_MS);
    const request = { url: this.#base + path, method, headers, timeoutMs, signal };
    const whole = body === undefined ? request : { ...request, body };
    return withRetries(() => this.#attempt(whole), pausesWithin(retry), signal);
  }

  async #attempt(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const answer = await this.#options.send(request).catch((error: unknown) => {
      const failure = new Error(
        `Failed to export documents to remote server: ${innermostReason(error)}`,
      );
      const isFinal = request.signal.aborted || error instanceof RejectedIpError;
      throw isFinal ? failure : new PassingFailure(failure);
    });
    if (TRANSIENT.has(answer.status)) throw new PassingFailure(refusal(answer));
    return answer;
  }
}

function indexPath(uid: string): string {
  return `/indexes/${encodeURIComponent(uid)}`;
}

function checkedBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    const text = `\`${url}\` is not the address of a server`;
    throw new Error(`Failed to export documents to remote server: ${text}`);
  }
  return url.replace(/\/+$/, '');
}

function isSuccess({ status }: OutgoingAnswer): boolean {
  return status >= 200 && status < 300;
}

/** The error in an answer; made up from the status when there is none. */
function errorOf({ status, text }: OutgoingAnswer): Record<'code' | 'type' | 'message', string> & {
  link?: string;
} {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    if (typeof body.code === 'string') return body as ReturnType<typeof errorOf>;
  } catch {
    // Not every server answers JSON.
  }
  return { code: `http_${status}`, type: 'system', message: text.slice(0, 200).trim() };
}

function refusal(answer: OutgoingAnswer): Error {
  const { code, type, message, link } = errorOf(answer);
  const where = link === undefined ? '' : ` <${link}>`;
  return new Error(
    `Failed to export documents to remote server ${code} (${type}): ${message}${where}`,
  );
}
