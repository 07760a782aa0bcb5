import type { Embeddable, Embedder, EmbedderSettings, EmbedOptions } from './embedder.js';
import { EmbeddingError } from './embedding-error.js';
import type { LocalModels } from './local-models.js';

/** Embeds with a model in this process. */
export class LocalEmbedder implements Embedder {
  readonly dimensions = undefined;
  readonly #settings: EmbedderSettings;
  readonly #models: LocalModels;

  constructor(settings: EmbedderSettings, models: LocalModels) {
    this.#settings = settings;
    this.#models = models;
  }

  async embed(
    texts: readonly Embeddable[],
    { signal, purpose }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const model = await this.#models.get(this.#settings, signal);
    const threads = purpose === 'search' ? 0 : this.#models.threads;
    const outcome = await model.embed(texts.map(String), { signal, threads });
    if ('ok' in outcome) return outcome.ok;
    const reason = signal.aborted ? 'the time for embedding is over' : outcome.error.message;
    throw new EmbeddingError('runtime', reason);
  }
}
