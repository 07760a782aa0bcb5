import { visibleFilter } from '../auth/access.js';
import { type ReaderSource, requireReader } from '../indexes/require-reader.js';
import { engineFeatures, type SearchSurroundings } from './engine-request.js';
import type { FacetSearchRequest } from './facet-search-request.js';
import { requireMediaAllowed } from './query-vector.js';
import { type SearchOffers, searchProblem } from './search-rules.js';

/** What the server knows when it completes a search for facet values. */
interface FacetSearchSurroundings
  extends Pick<SearchSurroundings, 'access' | 'features' | 'shards'> {
  readonly offers: SearchOffers;
}

/** A search for facet values that nothing is wrong with so far. */
export interface AcceptedFacetSearch<Reader> {
  /** Reads from the index that is searched. */
  readonly reader: Reader;
  /** The filter, narrowed to what the sender may see. */
  readonly filter: unknown;
  /** The search as the engine takes it. */
  readonly json: string;
}

/** A search for facet values as the engine takes it; throws what is wrong with it. */
export async function acceptedFacetSearch<
  Reader extends { settingsWithoutWords(): Promise<string> },
>(
  indexUid: string,
  request: FacetSearchRequest,
  source: ReaderSource<Reader>,
  surroundings: FacetSearchSurroundings,
): Promise<AcceptedFacetSearch<Reader>> {
  const { vector, media, hybrid, useNetwork } = request;
  const { access, features, offers } = surroundings;
  const problem = searchProblem({ vector, media, hybrid, useNetwork }, offers);
  if (problem !== undefined) throw problem;
  const reader = await requireReader(source, indexUid);
  await requireMediaAllowed({ media, hybrid }, reader, features);
  const filter = visibleFilter(access, indexUid, request.filter);
  return { reader, filter, json: engineJson(request, filter, engineFeatures(surroundings)) };
}

/** What the engine is asked; an absent parameter is its default. */
function engineJson(
  request: FacetSearchRequest,
  filter: unknown,
  features: object | undefined,
): string {
  const { facetName, facetQuery, q, vector, media, hybrid, matchingStrategy, ...rest } = request;
  const { attributesToSearchOn, rankingScoreThreshold, locales } = rest;
  const words = { matchingStrategy, attributesToSearchOn, rankingScoreThreshold, locales };
  const asked = { facetName, facetQuery, q, vector, media, hybrid, filter, ...words, features };
  return JSON.stringify(asked, (_name, value: unknown) => value ?? undefined);
}
