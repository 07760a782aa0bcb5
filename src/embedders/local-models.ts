import { availableParallelism } from 'node:os';
import { loadTransformer, type PoolingChoice, type Transformer } from '../native/transformer.js';
import type { EmbedderSettings } from './embedder.js';
import { EmbeddingError } from './embedding-error.js';
import type { Fetch } from './embedding-request.js';
import { placeOf } from './model-folder.js';
import { ModelHub } from './model-hub.js';

/** What halves of composites use when they name no model; other embedders are stored with it. */
const DEFAULT_MODEL = {
  model: 'BAAI/bge-base-en-v1.5',
  revision: '617ca489d9e86b49b8167676d8220688b99db36e',
};
/** Models that stay in memory; one more takes the place of the one used longest ago. */
const MAX_MODELS = 4;

/** Where models come from, and what they may use. */
export interface LocalModelOptions {
  /** The folder that models are read from and downloaded to; none can be used without it. */
  readonly folder?: string | undefined;
  /** Address of the hub. */
  readonly hubUrl?: string | undefined;
  /** Threads that embed documents; half of the cores when absent. */
  readonly threads?: number | undefined;
  readonly fetch: Fetch;
}

/** The models that run in this process, each loaded once for all that use it. */
export class LocalModels {
  /** Threads that embed documents. */
  readonly threads: number;
  readonly #folder: string | undefined;
  readonly #hub: ModelHub | undefined;
  readonly #loaded = new Map<string, Promise<Transformer>>();
  readonly #closing = new AbortController();

  constructor({ folder, hubUrl, threads, fetch }: LocalModelOptions) {
    this.threads = threads ?? Math.max(1, Math.floor(availableParallelism() / 2));
    this.#folder = folder;
    if (folder !== undefined) this.#hub = new ModelHub({ models: folder, url: hubUrl, fetch });
  }

  /**
   * The model of an embedder. Whoever stops waiting leaves the download and the loading to those
   * who come after.
   */
  async get(settings: EmbedderSettings, signal: AbortSignal): Promise<Transformer> {
    const { pooling = 'useModel' } = settings;
    const { model, revision } = modelOf(settings);
    const key = JSON.stringify([model, revision, pooling]);
    const loading = this.#loaded.get(key) ?? this.#load(model, revision, pooling as PoolingChoice);
    // The one used last comes last.
    this.#loaded.delete(key);
    this.#loaded.set(key, loading);
    const [oldest] = this.#loaded.keys();
    if (this.#loaded.size > MAX_MODELS && oldest !== undefined) this.#loaded.delete(oldest);
    loading.catch(() => {
      if (this.#loaded.get(key) === loading) this.#loaded.delete(key);
    });
    return unlessAborted(loading, signal);
  }

  /** Ends downloads. */
  close(): void {
    this.#closing.abort();
  }

  async #load(
    model: string,
    revision: string | undefined,
    pooling: PoolingChoice,
  ): Promise<Transformer> {
    const folder = await this.#folderOf(model, revision);
    const outcome = await loadTransformer(folder, pooling);
    if ('ok' in outcome) return outcome.ok;
    const reason = `could not load model \`${model}\`: ${outcome.error.message}`;
    throw new EmbeddingError('user', reason);
  }

  async #folderOf(model: string, revision: string | undefined): Promise<string> {
    if (this.#folder === undefined || this.#hub === undefined) {
      throw new EmbeddingError('user', 'there is no folder of models');
    }
    const place = await placeOf(model, this.#folder);
    if ('folder' in place) return place.folder;
    return this.#hub.folderOf(place.hubName, revision, this.#closing.signal);
  }
}

function modelOf({ model, revision }: EmbedderSettings) {
  if (model !== undefined) return { model, revision };
  return { ...DEFAULT_MODEL, ...(revision === undefined ? {} : { revision }) };
}

/** The same, but failing as soon as the signal says so. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = (): EmbeddingError =>
    new EmbeddingError('runtime', 'the time for embedding is over');
  if (signal.aborted) throw over();
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(over());
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
