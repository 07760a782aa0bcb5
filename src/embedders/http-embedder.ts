import { maskSecret } from '../settings/mask-secret.js';
import type { Embeddable, Embedder, EmbedOptions } from './embedder.js';
import { EmbeddingError } from './embedding-error.js';
import { type Fetch, request } from './embedding-request.js';
import type { RestFormat } from './rest-format.js';

/** Requests of one call that are under way at once. */
const MAX_REQUESTS = 8;

/** A service that embeds over HTTP. */
export interface HttpService {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly format: RestFormat;
  readonly dimensions: number | undefined;
}

/** Embeds by requests to a service, several texts in each and several requests at once. */
export class HttpEmbedder implements Embedder {
  readonly #service: HttpService;
  readonly #send: Fetch;

  constructor(service: HttpService, send: Fetch) {
    this.#service = service;
    this.#send = send;
  }

  get dimensions(): number | undefined {
    return this.#service.dimensions;
  }

  async embed(
    texts: readonly Embeddable[],
    { signal }: Pick<EmbedOptions, 'signal'>,
  ): Promise<Float32Array[]> {
    const { maxTexts } = this.#service.format;
    const parts: Embeddable[][] = [];
    for (let at = 0; at < texts.length; at += maxTexts) {
      parts.push(texts.slice(at, at + maxTexts));
    }
    const vectors: Float32Array[][] = new Array(parts.length);
    // The first failure stops the requests beside it.
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let part = next++; part < parts.length; part = next++) {
        vectors[part] = await this.#request(parts[part] as Embeddable[], both);
      }
    };
    try {
      const workers = Math.min(MAX_REQUESTS, parts.length);
      await Promise.all(Array.from({ length: workers }, work));
    } finally {
      stop.abort();
    }
    return vectors.flat();
  }

  async #request(texts: Embeddable[], signal: AbortSignal): Promise<Float32Array[]> {
    const { url, apiKey, headers, format } = this.#service;
    const asked = { url, headers: this.#headers(headers), body: format.body(texts), signal };
    try {
      const vectors = await request(this.#send, asked, (answer) =>
        format.vectors(answer, texts.length),
      );
      this.#checkDimensions(vectors);
      return vectors;
    } catch (error) {
      throw withoutSecret(error, apiKey);
    }
  }

  #headers(own: Readonly<Record<string, string>>): Record<string, string> {
    const { apiKey } = this.#service;
    return apiKey === undefined ? { ...own } : { authorization: `Bearer ${apiKey}`, ...own };
  }

  #checkDimensions(vectors: readonly Float32Array[]): void {
    const { dimensions } = this.#service;
    const wrong = vectors.find(({ length }) => dimensions !== undefined && length !== dimensions);
    if (wrong === undefined) return;
    throw new EmbeddingError(
      'runtime',
      `was expecting embeddings of dimension \`${dimensions}\`, got embeddings of dimensions \`${wrong.length}\``,
    );
  }
}

/** Servers may repeat the key that they refuse. */
function withoutSecret(error: unknown, secret: string | undefined): unknown {
  if (!(error instanceof EmbeddingError) || !secret) return error;
  if (error.message.includes(secret)) {
    error.message = error.message.replaceAll(secret, maskSecret(secret));
  }
  return error;
}
