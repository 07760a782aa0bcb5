/** What the texts of a request are: documents on their way into the index, or a query. */
export type Purpose = 'indexing' | 'search';

/** How a request for vectors is bounded. */
export interface EmbedOptions {
  readonly signal: AbortSignal;
  readonly purpose: Purpose;
}

/** A text, or the JSON that a fragment was rendered to. */
export type Embeddable = unknown;

/** Turns texts into vectors. */
export interface Embedder {
  /** Length of the vectors, when it is known before the first one. */
  readonly dimensions: number | undefined;
  /** One vector for each text, in order; throws an `EmbeddingError`. */
  embed(texts: readonly Embeddable[], options: EmbedOptions): Promise<Float32Array[]>;
}

/** The complete settings of an embedder, as they are stored. */
export interface EmbedderSettings {
  readonly source?: string;
  readonly model?: string;
  readonly revision?: string;
  readonly pooling?: string;
  readonly apiKey?: string;
  readonly dimensions?: number;
  readonly url?: string;
  readonly request?: unknown;
  readonly response?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly documentTemplate?: string;
  readonly documentTemplateMaxBytes?: number;
  readonly indexingFragments?: Readonly<Record<string, { value: unknown }>>;
  readonly searchFragments?: Readonly<Record<string, { value: unknown }>>;
  readonly searchEmbedder?: EmbedderSettings;
  readonly indexingEmbedder?: EmbedderSettings;
}
