import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../errors/api-error.js';
import { BucketCredentials } from './bucket-credentials.js';
import { isPassing, refusal, unreachable } from './bucket-errors.js';
import type { BucketOptions } from './bucket-options.js';
import { encoded, signedUrl } from './s3-signature.js';

/** How often a request is sent at most. */
const ATTEMPTS = 6;
/** The wait before the second attempt, in milliseconds; it doubles from one to the next. */
const FIRST_WAIT_MS = 250;

/** A request for one object of a bucket. */
export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  /** What is sent, made anew for every attempt. */
  readonly body?: () => ReadableStream | string;
  /** Bytes of the body. */
  readonly length?: number;
  readonly signal: AbortSignal;
}

/** What a bucket said. */
export interface BucketAnswer {
  readonly text: string;
  readonly etag: string | null;
}

/** A bucket of S3: signs requests, and sends them again when that may help. */
export class Bucket {
  readonly #options: BucketOptions;
  readonly #credentials: BucketCredentials;
  /** Address of the bucket: scheme and host, and its path in encoded form. */
  readonly #origin: string;
  readonly #path: string;

  constructor(options: BucketOptions) {
    this.#options = options;
    this.#credentials = new BucketCredentials(options);
    const { origin, pathname, search } = new URL(options.url);
    if (search !== '') throw wrong(`the address \`${options.url}\` has a query`);
    if (!/^[A-Za-z0-9][\w.-]{1,254}$/.test(options.name)) {
      throw wrong(`\`${options.name}\` is no name of a bucket`);
    }
    this.#origin = origin;
    this.#path = `${pathname.replace(/\/+$/, '')}/${encoded(options.name)}`;
  }

  /** Sends a request until it is answered well; throws an `ApiError`, or the reason of its signal. */
  async request(request: BucketRequest): Promise<BucketAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(request);
      if (!('error' in outcome)) return outcome;
      if (!outcome.mayPass || attempt === ATTEMPTS) throw outcome.error;
      await delay(FIRST_WAIT_MS * 2 ** (attempt - 1), undefined, { signal: request.signal });
    }
  }

  async #attempt(
    request: BucketRequest,
  ): Promise<BucketAnswer | { readonly error: ApiError; readonly mayPass: boolean }> {
    const { fetch: send = fetch } = this.#options;
    const { method, body, length, signal } = request;
    const url = await this.#signed(request);
    try {
      const answer = await send(url, {
        method,
        signal,
        // Another address would not have the signature.
        redirect: 'error',
        ...(body === undefined ? {} : { body: body(), duplex: 'half' }),
        ...(length === undefined ? {} : { headers: { 'content-length': String(length) } }),
      } as RequestInit);
      const text = await answer.text();
      // A request that takes long is answered before it has failed.
      const hasFailed = !answer.ok || (method === 'POST' && text.includes('<Error>'));
      if (!hasFailed) return { text, etag: answer.headers.get('etag') };
      const status = answer.ok ? 500 : answer.status;
      return { error: refusal(status, text), mayPass: isPassing(status) };
    } catch (error) {
      signal.throwIfAborted();
      return { error: unreachable(error), mayPass: true };
    }
  }

  async #signed({ method, key, query, signal }: BucketRequest): Promise<string> {
    const { region, signatureSeconds: validSeconds } = this.#options;
    const path = `${this.#path}/${key.split('/').map(encoded).join('/')}`;
    const unsigned = { method, origin: this.#origin, path, query, region, validSeconds };
    return signedUrl({ ...unsigned, at: new Date() }, await this.#credentials.current(signal));
  }
}

/** The name of an object in the folder that a prefix names. */
export function objectKey(prefix: string, name: string): string {
  const folders = prefix.split('/').filter((part) => part !== '');
  if (folders.some((part) => part === '.' || part === '..')) {
    throw wrong(`the prefix \`${prefix}\` is no folder`);
  }
  return [...folders, name].join('/');
}

function wrong(reason: string): ApiError {
  return new ApiError('invalid_s3_snapshot_parameters', `The bucket cannot be used: ${reason}.`);
}
