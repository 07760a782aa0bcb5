import { ApiError } from '../../errors/api-error.js';
import { doublingPauses, PassingFailure, withRetries } from '../../waiting/with-retries.js';
import { BucketCredentials } from './bucket-credentials.js';
import { isPassing, refusal, unreachable } from './bucket-errors.js';
import type { BucketOptions } from './bucket-options.js';
import { encoded, signedUrl } from './s3-signature.js';

const PAUSES = doublingPauses(250, 5);

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
  request(request: BucketRequest): Promise<BucketAnswer> {
    return withRetries(() => this.#attempt(request), PAUSES, request.signal);
  }

  async #attempt(request: BucketRequest): Promise<BucketAnswer> {
    const { fetch: send = fetch } = this.#options;
    const { method, body, length, signal } = request;
    const url = await this.#signed(request);
    let answer: Response;
    let text: string;
    try {
      answer = await send(url, {
        method,
        signal,
        // Another address would not have the signature.
        redirect: 'error',
        ...(body === undefined ? {} : { body: body(), duplex: 'half' }),
        ...(length === undefined ? {} : { headers: { 'content-length': String(length) } }),
      } as RequestInit);
      text = await answer.text();
    } catch (error) {
      signal.throwIfAborted();
      throw new PassingFailure(unreachable(error));
    }
    // A request that takes long is answered before it has failed.
    const hasFailed = !answer.ok || (method === 'POST' && text.includes('<Error>'));
    if (!hasFailed) return { text, etag: answer.headers.get('etag') };
    const status = answer.ok ? 500 : answer.status;
    const refused = refusal(status, text);
    throw isPassing(status) ? new PassingFailure(refused) : refused;
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
