import type { Feature } from '../features/feature.js';
import type { AppliedRules } from '../native/search-rules.js';
import type { SearchStop } from '../native/search-stop.js';
import type { QueryEmbedder } from '../search/query-vector.js';
import type { SearchOffers } from '../search/search-rules.js';

/** Reads from one index: requests are JSON, answers are ready JSON. */
export interface SearchReader {
  search(request: string, rules?: AppliedRules, stop?: SearchStop): Promise<Buffer>;
  /** The answer to a search, if it is remembered: never where rules may apply. */
  recall(request: string, rules?: AppliedRules): Buffer | undefined;
  /** The same for who parses the answer. */
  searchText(request: string, rules?: AppliedRules, stop?: SearchStop): Promise<string>;
  recallText(request: string, rules?: AppliedRules): string | undefined;
  facetSearch(request: string, stop?: SearchStop): Promise<Buffer>;
  similar(request: string, stop?: SearchStop): Promise<Buffer>;
  settingsWithoutWords(): Promise<string>;
  /** The uids of the indexes that its foreign keys lead to. */
  foreignUids(): readonly string[];
}

/** What searches of a program need: they see everything and wait for nobody. */
export interface SearchParts {
  readonly indexes: {
    reader(uid: string): Promise<SearchReader | undefined>;
    openFolder(uid: string): Promise<string | undefined>;
    federatedSearch(
      uids: readonly string[],
      request: string,
      rules?: AppliedRules,
      stop?: SearchStop,
    ): Promise<Buffer>;
  };
  readonly features: { all(): Readonly<Record<string, boolean>>; isOn(feature: Feature): boolean };
  /** The dynamic search rules, which may pin documents. */
  readonly rules: { applied(): AppliedRules | undefined };
  /** Makes vectors of queries. */
  readonly queryEmbedder: QueryEmbedder;
}

/** What a program may ask of a search: there is nobody to personalise for. */
export function offersOf({ features }: SearchParts): SearchOffers {
  return { features: features.all(), personalization: false };
}

/** The rules that searches follow, where they are on. */
export function rulesOf({ features, rules }: SearchParts): AppliedRules | undefined {
  return features.isOn('dynamicSearchRules') ? rules.applied() : undefined;
}
