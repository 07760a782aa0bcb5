import { featureNotEnabled } from '../features/feature.js';
import type { SearchStop } from '../native/search-stop.js';
import type { SearchRequest } from './search-request.js';

/** A query that is to become a vector. */
export interface EmbeddableQuery {
  readonly indexUid: string;
  /** Name of the embedder. */
  readonly embedder: string;
  /** The complete settings of the embedder. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly q: string | undefined;
  readonly media: unknown;
  /** Milliseconds after which the vector is of no use any more. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the search any more. */
  readonly signal: AbortSignal | undefined;
}

/** Makes vectors of queries; what goes wrong is thrown as the error to answer. */
export interface QueryEmbedder {
  embed(query: EmbeddableQuery): Promise<readonly number[]>;
}

/** What is read of the settings of an index. */
interface EmbedderSettings {
  readonly embedders?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly searchCutoffMs?: number | null;
}

/** Milliseconds a search may take when the settings do not say. */
export const DEFAULT_CUTOFF_MS = 1500;

/**
 * Throws when a search brings media while their feature is off. An embedder that does not exist is
 * the worse mistake: the engine refuses it.
 */
export async function requireMediaAllowed(
  { media, hybrid }: Pick<SearchRequest, 'media' | 'hybrid'>,
  reader: { settingsWithoutWords(): Promise<string> },
  features: Readonly<Record<string, boolean>>,
): Promise<void> {
  if (media == null || hybrid == null || features.multimodal === true) return;
  const settings: EmbedderSettings = JSON.parse(await reader.settingsWithoutWords());
  if (embedderNamed(settings, hybrid.embedder) === undefined) return;
  throw featureNotEnabled('multimodal', 'passing `media` in a search query');
}

/**
 * The request with the vector that its query needs and does not bring. Where words count as well,
 * a vector that cannot be had is no error: the search then goes by words.
 */
export async function withQueryVector(
  indexUid: string,
  request: SearchRequest,
  reader: { settingsWithoutWords(): Promise<string> },
  {
    queryEmbedder,
    stop,
  }: {
    readonly queryEmbedder: QueryEmbedder | undefined;
    readonly stop: SearchStop | undefined;
  },
): Promise<SearchRequest> {
  const { hybrid, vector, media } = request;
  const q = request.q?.trim() === '' ? undefined : (request.q ?? undefined);
  if (queryEmbedder === undefined || hybrid == null || vector != null) return request;
  if (hybrid.semanticRatio === 0 || (q === undefined && media == null)) return request;
  const ofIndex: EmbedderSettings = JSON.parse(await reader.settingsWithoutWords());
  const settings = embedderNamed(ofIndex, hybrid.embedder);
  // Both are refused by the engine, in its words.
  if (settings === undefined || settings.source === 'userProvided') return request;
  const timeoutMs = ofIndex.searchCutoffMs ?? DEFAULT_CUTOFF_MS;
  const { embedder } = hybrid;
  const signal = stop?.signal;
  const query = { indexUid, embedder, settings, q, media: media ?? undefined, timeoutMs, signal };
  try {
    return { ...request, vector: [...(await queryEmbedder.embed(query))] };
  } catch (error) {
    if (q !== undefined && hybrid.semanticRatio !== 1) return request;
    throw error;
  }
}

/** The settings of an embedder; a request may name what every object has, such as `constructor`. */
function embedderNamed({ embedders = {} }: EmbedderSettings, name: string) {
  return Object.hasOwn(embedders, name) ? embedders[name] : undefined;
}
