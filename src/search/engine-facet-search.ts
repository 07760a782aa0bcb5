import type { FacetSearchRequest } from './facet-search-request.js';

/** What a search for facet values becomes beyond what was asked. */
export interface FacetSearchSurroundings {
  /** The filter, narrowed to what may be seen. */
  readonly filter: unknown;
  /** The experimental features as the engine takes them. */
  readonly features: object | undefined;
}

/** The JSON that the engine takes to search the values of a facet; an absent parameter is its default. */
export function engineFacetSearch(
  request: FacetSearchRequest,
  { filter, features }: FacetSearchSurroundings,
): string {
  const { facetName, facetQuery, q, vector, media, hybrid, matchingStrategy, ...rest } = request;
  const { attributesToSearchOn, rankingScoreThreshold, locales } = rest;
  const words = { matchingStrategy, attributesToSearchOn, rankingScoreThreshold, locales };
  const asked = { facetName, facetQuery, q, vector, media, hybrid, filter, ...words, features };
  return JSON.stringify(asked, (_name, value: unknown) => value ?? undefined);
}
