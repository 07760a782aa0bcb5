import { createHash } from 'node:crypto';
import { ApiError } from '../errors/api-error.js';
import { renderTemplate } from '../native/template.js';
import { timeLimit } from '../waiting/time-limit.js';
import type { Embeddable, EmbedderSettings } from './embedder.js';
import { EmbeddingCache } from './embedding-cache.js';
import { EmbeddingError } from './embedding-error.js';
import type { Fetch } from './embedding-request.js';
import { type LocalModelOptions, LocalModels } from './local-models.js';
import { type EmbedderDefaults, makeEmbedder, usesFragments } from './make-embedder.js';

/** How embedders are run. */
export interface EmbedderOptions {
  /** Key of OpenAI embedders that have none. */
  openAiApiKey?: string;
  /** Address of ollama embedders that have none. */
  ollamaUrl?: string;
  /** Vectors of queries that are remembered; none when absent. */
  cacheEntries?: number;
  /** Models that run in this process. */
  localModels?: Omit<LocalModelOptions, 'fetch'>;
  /** Sends the requests; the fetch of the platform when absent. */
  fetch?: Fetch;
}

/** What the engine asks for while it indexes. */
export interface IndexingRequest {
  readonly embedder: string;
  readonly settings: EmbedderSettings;
  readonly texts: readonly string[];
}

/** What is embedded of a search. */
interface EmbeddedQuery {
  readonly q?: string | undefined;
  readonly media?: unknown;
}

/** The query of a search, and the embedder that turns it into a vector. */
export interface SearchedQuery extends EmbeddedQuery {
  /** The complete settings of the embedder. */
  readonly settings: object;
  /** Milliseconds after which the vector is of no use any more. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the vector any more. */
  readonly signal?: AbortSignal | undefined;
}

/** No vector of a query is waited for longer, whatever its search allows: nobody waits for it by then. */
const LONGEST_MS = 15 * 60_000;

/** Makes vectors of documents and of queries, as the settings of embedders say. */
export class Embedders {
  readonly #defaults: EmbedderDefaults;
  readonly #cache: EmbeddingCache;

  constructor(options: EmbedderOptions = {}) {
    const { openAiApiKey, ollamaUrl, cacheEntries = 0, fetch: send = fetch } = options;
    const models = new LocalModels({ ...options.localModels, fetch: send });
    this.#defaults = { openAiApiKey, ollamaUrl, fetch: send, models };
    this.#cache = new EmbeddingCache(cacheEntries);
  }

  /** Ends what nobody waits for any more. */
  close(): void {
    this.#defaults.models.close();
  }

  /** Vectors of rendered documents. */
  async embedDocuments(request: IndexingRequest, signal: AbortSignal): Promise<Float32Array[]> {
    const { settings, texts } = request;
    const embedder = makeEmbedder(settings, 'indexing', this.#defaults);
    const half = settings.indexingEmbedder ?? settings;
    const values: readonly Embeddable[] = usesFragments(half.indexingFragments)
      ? texts.map((text) => JSON.parse(text) as unknown)
      : texts;
    return embedder.embed(values, { signal, purpose: 'indexing' });
  }

  /** The vector of the query of a search, in time or not at all. */
  async embed(query: SearchedQuery): Promise<number[]> {
    const { settings, q, media, timeoutMs } = query;
    try {
      const timeout = timeLimit(Math.min(timeoutMs, LONGEST_MS));
      const signal =
        query.signal === undefined ? timeout : AbortSignal.any([timeout, query.signal]);
      return [...(await this.#embedQuery(settings as EmbedderSettings, { q, media }, signal))];
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      const message = `Error while generating embeddings: ${error.message}`;
      throw new ApiError('vector_embedding_error', message);
    }
  }

  async #embedQuery(
    settings: EmbedderSettings,
    query: EmbeddedQuery,
    signal: AbortSignal,
  ): Promise<Float32Array> {
    const value = await searchedValue(settings, query);
    const key = cacheKey(settings, value);
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const embedder = makeEmbedder(settings, 'search', this.#defaults);
    const [vector] = await embedder.embed([value], { signal, purpose: 'search' });
    if (vector === undefined) throw new EmbeddingError('runtime', 'no embedding was generated');
    this.#cache.put(key, vector);
    return vector;
  }
}

/** The same value under other settings is another vector; keys hold no secret in clear. */
function cacheKey(settings: EmbedderSettings, value: Embeddable): string {
  return createHash('sha256')
    .update(JSON.stringify([settings, value]))
    .digest('base64');
}

async function searchedValue(
  settings: EmbedderSettings,
  { q, media }: EmbeddedQuery,
): Promise<Embeddable> {
  const half = settings.searchEmbedder ?? settings;
  const { searchFragments } = half;
  if (usesFragments(searchFragments)) {
    return renderedFragment(searchFragments ?? {}, { q, media });
  }
  if (media == null) return q ?? '';
  const reason =
    half.source === 'rest'
      ? "`media` requested, and the configuration has source `rest`, but the configuration doesn't have `searchFragments`."
      : "`media` requested but the configuration doesn't have source `rest`";
  throw new EmbeddingError('user', reason);
}

/** The only fragment that the query fills. */
async function renderedFragment(
  fragments: Readonly<Record<string, { value: unknown }>>,
  query: EmbeddedQuery,
): Promise<unknown> {
  const shown = JSON.stringify({ q: query.q ?? null, media: query.media ?? null });
  let match: { name: string; value: unknown } | undefined;
  for (const [name, { value: template }] of Object.entries(fragments)) {
    const rendered = await renderTemplate({ template, query });
    if ('error' in rendered) continue;
    if (match !== undefined) {
      throw new EmbeddingError(
        'user',
        `Query matches multiple search fragments.\n  - Note: First matched fragment \`${match.name}\`.\n  - Note: Second matched fragment \`${name}\`.\n  - Note: ${shown}`,
      );
    }
    match = { name, value: rendered.ok };
  }
  if (match !== undefined) return match.value;
  const reason = `Query matches no search fragment.\n  - Note: ${shown}`;
  throw new EmbeddingError('user', reason);
}
