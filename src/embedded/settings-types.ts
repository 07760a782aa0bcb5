import type { Attribute } from './attribute.js';
import type { AttributeOrAll, HybridSearch, MatchingStrategy } from './search-types.js';

/** An attribute, or a pattern with `*` at its start, its end or both. */
export type AttributePattern<T> = Attribute<T> | '_geo' | `*${string}` | `${string}*`;

/** Attributes to filter by, with what filters may ask of them. */
export interface FilterableRule<T = Record<string, unknown>> {
  attributePatterns: readonly AttributePattern<T>[];
  features?: {
    /** Their values can be searched; off when absent. */
    facetSearch?: boolean;
    filter?: {
      /** `=`, `!=`, `IN`; on when absent. */
      equality?: boolean;
      /** `<`, `<=`, `>`, `>=`, `TO`; off when absent. */
      comparison?: boolean;
    };
  };
}

/** A step of the ranking; the first one counts most. */
export type RankingRule<T = Record<string, unknown>> =
  | 'words'
  | 'typo'
  | 'proximity'
  | 'attribute'
  | 'attributeRank'
  | 'wordPosition'
  | 'sort'
  | 'exactness'
  | `${Attribute<T>}:${'asc' | 'desc'}`;

/** Which words may be found in spite of misspellings. */
export interface TypoTolerance<T = Record<string, unknown>> {
  enabled: boolean;
  /** The lengths from which a word may have one typo, and two. */
  minWordSizeForTypos: { oneTypo: number; twoTypos: number };
  disableOnWords: readonly string[];
  disableOnAttributes: readonly Attribute<T>[];
  disableOnNumbers: boolean;
}

/** How facets are counted. */
export interface Faceting {
  maxValuesPerFacet: number;
  /** By attribute; `*` stands for those not named. */
  sortFacetValuesBy: Readonly<Record<string, 'alpha' | 'count'>>;
}

/** A part of a document or a query that is embedded by itself. */
export interface Fragment {
  value: unknown;
}

/** What an embedder and each half of a composite one say. */
export interface EmbedderModel {
  source?: 'openAi' | 'huggingFace' | 'ollama' | 'userProvided' | 'rest' | 'composite' | null;
  model?: string | null;
  revision?: string | null;
  pooling?: 'useModel' | 'forceCls' | 'forceMean' | null;
  apiKey?: string | null;
  dimensions?: number | null;
  documentTemplate?: string | null;
  documentTemplateMaxBytes?: number | null;
  url?: string | null;
  indexingFragments?: Readonly<Record<string, Fragment | null>> | null;
  searchFragments?: Readonly<Record<string, Fragment | null>> | null;
  request?: unknown;
  response?: unknown;
  headers?: Readonly<Record<string, string>> | null;
}

/** What makes vectors of documents and queries. */
export interface Embedder extends EmbedderModel {
  binaryQuantized?: boolean | null;
  searchEmbedder?: EmbedderModel | null;
  indexingEmbedder?: EmbedderModel | null;
  distribution?: { mean: number; sigma: number } | null;
}

/** How conversations search an index. */
export interface IndexChat {
  description?: string | null;
  documentTemplate?: string | null;
  documentTemplateMaxBytes?: number | null;
  searchParameters?: {
    hybrid?: HybridSearch | null;
    limit?: number | null;
    sort?: readonly string[] | null;
    distinct?: string | null;
    matchingStrategy?: MatchingStrategy | null;
    attributesToSearchOn?: readonly string[] | null;
    rankingScoreThreshold?: number | null;
  } | null;
}

/** All settings of an index, as they are read. */
export interface Settings<T = Record<string, unknown>> {
  displayedAttributes: readonly AttributeOrAll<T>[];
  searchableAttributes: readonly AttributeOrAll<T>[];
  filterableAttributes: readonly (Attribute<T> | '_geo' | '_geojson' | FilterableRule<T>)[];
  sortableAttributes: readonly (Attribute<T> | '_geo')[];
  /** Where the experimental feature `foreignKeys` is on. */
  foreignKeys?: readonly { foreignIndexUid: string; fieldName: string }[];
  rankingRules: readonly RankingRule<T>[];
  stopWords: readonly string[];
  nonSeparatorTokens: readonly string[];
  separatorTokens: readonly string[];
  dictionary: readonly string[];
  synonyms: Readonly<Record<string, readonly string[]>>;
  distinctAttribute: Attribute<T> | null;
  proximityPrecision: 'byWord' | 'byAttribute';
  typoTolerance: TypoTolerance<T>;
  faceting: Faceting;
  pagination: { maxTotalHits: number };
  embedders: Readonly<Record<string, Embedder>>;
  searchCutoffMs: number | null;
  localizedAttributes:
    | readonly { attributePatterns: readonly AttributePattern<T>[]; locales: readonly string[] }[]
    | null;
  facetSearch: boolean;
  prefixSearch: 'indexingTime' | 'disabled';
  /** Where the experimental feature `chatCompletions` is on. */
  chat?: IndexChat;
}

/** Parts of an object, where null resets one. */
type Changed<Whole> = { [Name in keyof Whole]?: Whole[Name] | null | undefined };

/** A change of settings: absent ones stay, null resets one to its default. */
export interface SettingsChange<T = Record<string, unknown>>
  extends Changed<Omit<Settings<T>, 'typoTolerance' | 'faceting' | 'pagination' | 'embedders'>> {
  typoTolerance?:
    | Changed<
        Omit<TypoTolerance<T>, 'minWordSizeForTypos'> & {
          minWordSizeForTypos: Changed<TypoTolerance<T>['minWordSizeForTypos']>;
        }
      >
    | null
    | undefined;
  faceting?: Changed<Faceting> | null | undefined;
  pagination?: Changed<Settings<T>['pagination']> | null | undefined;
  /** By name; null removes one. */
  embedders?: Readonly<Record<string, Embedder | null>> | null | undefined;
}
