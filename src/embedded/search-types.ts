import type { Attribute, Retrieved } from './attribute.js';
import type { Where } from './condition.js';
import type { Filter } from './filter.js';

/** Lists of filters: all of the outer one must hold, of an inner one any. */
export type FilterList = readonly (string | Filter | readonly (string | Filter)[])[];

/** A filter in any of its forms; a function is given the attributes of the document type. */
export type FilterInput<T> = string | Filter | FilterList | ((where: Where<T>) => Filter);

/** One criterion of an order, the first one counts most. */
export type SortCriterion<T> =
  | `${Attribute<T>}:${'asc' | 'desc'}`
  | `_geoPoint(${string}):${'asc' | 'desc'}`;

/** An attribute, or all of them. */
export type AttributeOrAll<T> = Attribute<T> | '*';

/** An attribute to crop, with the number of words that are kept if it is its own. */
export type CroppedAttribute<T> = AttributeOrAll<T> | `${Attribute<T>}:${number}`;

/** Which query words may be left out when not all of them are found in enough documents. */
export type MatchingStrategy = 'last' | 'all' | 'frequency';

/** Searching by meaning beside, or instead of, searching by words. */
export interface HybridSearch {
  /** Name of the embedder in the settings. */
  embedder: string;
  /** 0: words only, 1: meaning only; 0.5 when absent. */
  semanticRatio?: number | undefined;
}

/** What a search may ask for beside its words. Absent and null parameters have their defaults. */
export interface SearchParameters<
  T = Record<string, unknown>,
  Paths extends AttributeOrAll<T> = AttributeOrAll<T>,
> {
  /** Hits to leave out at the start. */
  offset?: number | undefined;
  /** Hits at the most, 20 when absent. */
  limit?: number | undefined;
  /** Number of the page, from 1; with it or `hitsPerPage` the answer counts all hits. */
  page?: number | null | undefined;
  /** Hits of a page, 20 when absent. */
  hitsPerPage?: number | null | undefined;
  /** The attributes that hits have; all that are displayed when absent. */
  attributesToRetrieve?: readonly Paths[] | null | undefined;
  /** Attributes in which the words that were found are marked, in `_formatted`. */
  attributesToHighlight?: readonly AttributeOrAll<T>[] | null | undefined;
  /** What stands before a word that was found, `<em>` when absent; null: nothing. */
  highlightPreTag?: string | null | undefined;
  /** What stands behind it, `</em>` when absent; null: nothing. */
  highlightPostTag?: string | null | undefined;
  /** Attributes that are cut to the words around what was found, in `_formatted`. */
  attributesToCrop?: readonly CroppedAttribute<T>[] | null | undefined;
  /** Words that are kept, 10 when absent. */
  cropLength?: number | undefined;
  /** What stands where something was cut off, `…` when absent; null: nothing. */
  cropMarker?: string | null | undefined;
  /** Adds to each hit where the words were found, as `_matchesPosition`. */
  showMatchesPosition?: boolean | undefined;
  filter?: FilterInput<T> | null | undefined;
  sort?: readonly SortCriterion<T>[] | null | undefined;
  /** Of the documents that share a value of this attribute, only the best one is a hit. */
  distinct?: Attribute<T> | null | undefined;
  /** Attributes whose values are counted over all documents found. */
  facets?: readonly AttributeOrAll<T>[] | null | undefined;
  /** `last` when absent: the last words may be left out first. */
  matchingStrategy?: MatchingStrategy | undefined;
  /** The attributes that words are searched in; all that are searchable when absent. */
  attributesToSearchOn?: readonly AttributeOrAll<T>[] | null | undefined;
  /** Hits below this score, from 0 to 1, are left out. */
  rankingScoreThreshold?: number | null | undefined;
  /** Languages of the query, as ISO 639 codes: `jpn` or `ja`. */
  locales?: readonly string[] | null | undefined;
  hybrid?: HybridSearch | null | undefined;
  /** The vector of the query, where the embedder is not to make it; needs `hybrid`. */
  vector?: readonly number[] | null | undefined;
  /** What an embedder makes the vector of beside the words; needs the feature `multimodal`. */
  media?: unknown;
  /** Adds the vectors of each hit as `_vectors`. */
  retrieveVectors?: boolean | undefined;
  /** Adds to each hit how well it fits, from 0 to 1, as `_rankingScore`. */
  showRankingScore?: boolean | undefined;
  /** Adds to each hit what each ranking rule says of it, as `_rankingScoreDetails`. */
  showRankingScoreDetails?: boolean | undefined;
  /** Adds to the answer how long its steps took, as `performanceDetails`. */
  showPerformanceDetails?: boolean | undefined;
}

/** A search with its words. */
export interface SearchRequest<T = Record<string, unknown>> extends SearchParameters<T> {
  q?: string | null | undefined;
}

/** A value as `_formatted` shows it: numbers become texts. */
export type Formatted<V> = V extends number
  ? string
  : V extends readonly (infer Item)[]
    ? Formatted<Item>[]
    : V extends object
      ? { [Key in keyof V]?: Formatted<V[Key]> }
      : V;

/** Where the words of a query are in an attribute, in bytes of UTF-8. */
export interface MatchPosition {
  start: number;
  length: number;
  /** Places in the lists around the value, outermost first. */
  indices?: number[];
}

/** A found document, with what the parameters of the search add to it. */
export type Hit<T> = T & {
  _formatted?: Formatted<T>;
  _matchesPosition?: Record<string, MatchPosition[]>;
  _rankingScore?: number;
  _rankingScoreDetails?: Record<string, unknown>;
  /** Metres from the point that the search sorts by. */
  _geoDistance?: number;
  _vectors?: Record<string, { embeddings: number[][]; regenerate: boolean }>;
};

/** The answer to a search; which counts it has depends on how pages are asked for. */
export interface SearchResponse<T = Record<string, unknown>> {
  hits: Hit<T>[];
  query: string;
  processingTimeMs: number;
  /** With `offset` and `limit`. */
  limit?: number;
  offset?: number;
  estimatedTotalHits?: number;
  /** With `page` or `hitsPerPage`. */
  totalHits?: number;
  totalPages?: number;
  hitsPerPage?: number;
  page?: number;
  facetDistribution?: Record<string, Record<string, number>>;
  facetStats?: Record<string, { min: number; max: number }>;
  /** How many hits come from meaning rather than words. */
  semanticHitCount?: number;
  /** The vector that was searched for, with `retrieveVectors`. */
  queryVector?: number[];
  /** Names this answer; no other has the same. */
  requestUid: string;
  /** Times of the steps as texts, `0.25ms`, with `showPerformanceDetails`. */
  performanceDetails?: Record<string, string>;
}

/** The answer to a search that retrieves some attributes only. */
export type ResponseOf<T, Paths extends string> = SearchResponse<Retrieved<T, Paths>>;

/** What a search for facet values may ask for. */
export type FacetSearchParameters<T = Record<string, unknown>> = Pick<
  SearchRequest<T>,
  | 'q'
  | 'filter'
  | 'matchingStrategy'
  | 'attributesToSearchOn'
  | 'rankingScoreThreshold'
  | 'locales'
  | 'hybrid'
  | 'vector'
  | 'media'
>;

/** Values of a facet that begin like the text searched for. */
export interface FacetSearchResponse {
  facetHits: { value: string; count: number }[];
  facetQuery: string | null;
  processingTimeMs: number;
}

/** What a search for similar documents may ask for. */
export interface SimilarParameters<T = Record<string, unknown>>
  extends Pick<
    SearchParameters<T>,
    | 'offset'
    | 'limit'
    | 'filter'
    | 'attributesToRetrieve'
    | 'retrieveVectors'
    | 'showRankingScore'
    | 'showRankingScoreDetails'
    | 'showPerformanceDetails'
    | 'rankingScoreThreshold'
  > {
  /** Name of the embedder whose vectors are compared. */
  embedder: string;
}

/** Documents that are similar to one, the most similar first. */
export interface SimilarResponse<T = Record<string, unknown>> {
  hits: Hit<T>[];
  id: string;
  processingTimeMs: number;
  limit: number;
  offset: number;
  estimatedTotalHits: number;
  performanceDetails?: Record<string, string>;
}

/** What only searches over several indexes know. */
export interface FederationOptions {
  /** Weight of the scores of a query; 1 when absent. */
  weight?: number | undefined;
}

/** Names the document type of a search, for the compiler alone. */
export declare const documentType: unique symbol;

/** One of several searches, made by `Index.query` or by hand. */
export interface IndexQuery<T = unknown> extends Omit<SearchRequest, 'filter'> {
  indexUid: string;
  filter?: string | Filter | FilterList | null | undefined;
  federationOptions?: FederationOptions | null | undefined;
  readonly [documentType]?: T;
}

/** The document type of one of several searches. */
export type DocumentOf<Query> = Query extends { readonly [documentType]?: infer T }
  ? unknown extends T
    ? Record<string, unknown>
    : T
  : Record<string, unknown>;

/** The answers to several searches, in their order. */
export interface MultiSearchResponse<Queries extends readonly unknown[]> {
  results: {
    [At in keyof Queries]: SearchResponse<DocumentOf<Queries[At]>> & { indexUid: string };
  };
}

/** How the hits of several searches become one list. */
export interface Federation {
  limit?: number | undefined;
  offset?: number | undefined;
  page?: number | null | undefined;
  hitsPerPage?: number | null | undefined;
  /** Attributes whose values are counted, by index. */
  facetsByIndex?: Readonly<Record<string, readonly string[] | null>> | undefined;
  mergeFacets?: { maxValuesPerFacet?: number | null | undefined } | null | undefined;
  distinct?: string | null | undefined;
  showPerformanceDetails?: boolean | undefined;
}

/** One list of hits from several searches. */
export interface FederatedResponse<T = Record<string, unknown>> {
  hits: (Hit<T> & {
    _federation: { indexUid: string; queriesPosition: number; weightedRankingScore: number };
  })[];
  processingTimeMs: number;
  limit?: number;
  offset?: number;
  estimatedTotalHits?: number;
  totalHits?: number;
  totalPages?: number;
  hitsPerPage?: number;
  page?: number;
  facetsByIndex?: Record<
    string,
    {
      distribution: Record<string, Record<string, number>>;
      stats: Record<string, { min: number; max: number }>;
    }
  >;
  facetDistribution?: Record<string, Record<string, number>>;
  facetStats?: Record<string, { min: number; max: number }>;
  semanticHitCount?: number;
  /** The vectors that were searched for, by the place of their query, with `retrieveVectors`. */
  queryVectors?: Record<string, number[]>;
  requestUid: string;
  performanceDetails?: Record<string, string>;
}
