import { FULL_ACCESS } from '../auth/access.js';
import { documentIdOf } from '../documents/document-id.js';
import { requireReader } from '../indexes/require-reader.js';
import type { SearchStop } from '../native/search-stop.js';
import { engineSearch, type SearchSurroundings } from '../search/engine-request.js';
import type { FacetSearchRequest } from '../search/facet-search-request.js';
import type { SearchRequest } from '../search/search-request.js';
import { searchProblem } from '../search/search-rules.js';
import type { SimilarRequest } from '../search/similar-request.js';
import { offersOf, rulesOf, type SearchParts } from './search-parts.js';

/** Searches one index; the engine writes the answer. */
export async function searchIndex(
  indexUid: string,
  request: SearchRequest,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Buffer> {
  const problem = searchProblem(request, offersOf(parts));
  if (problem !== undefined) throw problem;
  const reader = await requireReader(parts, indexUid);
  const search = await engineSearch(indexUid, request, reader, surroundingsOf(parts, stop));
  const [text, rules] = [JSON.stringify(search), rulesOf(parts)];
  return reader.recall(text, rules) ?? reader.search(text, rules, stop);
}

/** A program sees everything. */
export function surroundingsOf(
  { features, queryEmbedder }: SearchParts,
  stop: SearchStop | undefined,
): SearchSurroundings {
  return { access: FULL_ACCESS, features: features.all(), queryEmbedder, stop };
}

/** Searches the values of a facet of one index. */
export async function searchFacet(
  indexUid: string,
  request: FacetSearchRequest,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Buffer> {
  const reader = await requireReader(parts, indexUid);
  const { facetName, facetQuery, q, filter, matchingStrategy, ...rest } = request;
  const { attributesToSearchOn, rankingScoreThreshold, locales } = rest;
  const restriction = { attributesToSearchOn, rankingScoreThreshold, locales };
  const engine = { facetName, facetQuery, q, filter, matchingStrategy, ...restriction };
  return reader.facetSearch(engineJson(engine, parts), stop);
}

/** Searches the documents of one index that are similar to one of them. */
export async function searchSimilar(
  indexUid: string,
  request: SimilarRequest,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Buffer> {
  const reader = await requireReader(parts, indexUid);
  const engine = { ...request, id: documentIdOf(request.id) };
  return reader.similar(engineJson(engine, parts), stop);
}

/** The engine takes an absent parameter for its default. */
function engineJson(request: object, { features }: SearchParts): string {
  const present = Object.entries(request).filter(([, value]) => value != null);
  return JSON.stringify({ ...Object.fromEntries(present), features: features.all() });
}
