import type { QueryEmbedder } from '../search/query-vector.js';

/** Reads from one index: requests are JSON, answers are ready JSON. */
export interface SearchReader {
  search(request: string): Promise<Buffer>;
  facetSearch(request: string): Promise<Buffer>;
  similar(request: string): Promise<Buffer>;
  settings(): Promise<string>;
}

/** What searches of a program need: they see everything and wait for nobody. */
export interface SearchParts {
  readonly indexes: {
    reader(uid: string): Promise<SearchReader | undefined>;
    federatedSearch(uids: readonly string[], request: string): Promise<Buffer>;
  };
  readonly features: { all(): Readonly<Record<string, boolean>> };
  /** Makes vectors of queries. */
  readonly queryEmbedder: QueryEmbedder;
}
