import { FULL_ACCESS } from '../auth/access.js';
import { documentIdOf } from '../documents/document-id.js';
import { requireReader } from '../indexes/require-reader.js';
import type { AppliedRules } from '../native/search-rules.js';
import type { SearchStop } from '../native/search-stop.js';
import { acceptedFacetSearch } from '../search/accepted-facet-search.js';
import { engineSearch, type SearchSurroundings } from '../search/engine-request.js';
import type { FacetSearchRequest } from '../search/facet-search-request.js';
import type { SearchRequest } from '../search/search-request.js';
import { searchProblem } from '../search/search-rules.js';
import type { SimilarRequest } from '../search/similar-request.js';
import { offersOf, rulesOf, type SearchParts, type SearchReader } from './search-parts.js';

/** Searches one index; the engine writes the answer. */
export async function searchIndex(
  indexUid: string,
  request: SearchRequest,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Buffer> {
  const { reader, text, rules } = await accepted(indexUid, request, parts, stop);
  return reader.recall(text, rules) ?? reader.search(text, rules, stop);
}

/** The same answer for who parses it: a string, in which some characters may stand as escapes. */
export async function searchIndexText(
  indexUid: string,
  request: SearchRequest,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<string> {
  const { reader, text, rules } = await accepted(indexUid, request, parts, stop);
  return reader.recallText(text, rules) ?? reader.searchText(text, rules, stop);
}

/** A search as the engine takes it; throws what is wrong with it. */
async function accepted(
  indexUid: string,
  request: SearchRequest,
  parts: SearchParts,
  stop: SearchStop | undefined,
): Promise<{ reader: SearchReader; text: string; rules: AppliedRules | undefined }> {
  const problem = searchProblem(request, offersOf(parts));
  if (problem !== undefined) throw problem;
  const reader = await requireReader(parts, indexUid);
  const search = await engineSearch(indexUid, request, reader, surroundingsOf(parts, stop));
  return { reader, text: JSON.stringify(search), rules: rulesOf(parts) };
}

/** A program sees everything. */
export function surroundingsOf(
  { indexes, features, queryEmbedder }: SearchParts,
  stop: SearchStop | undefined,
): SearchSurroundings {
  const openFolder = features.isOn('foreignKeys')
    ? (uid: string) => indexes.openFolder(uid)
    : undefined;
  return { access: FULL_ACCESS, features: features.all(), openFolder, queryEmbedder, stop };
}

/** Searches the values of a facet of one index. */
export async function searchFacet(
  indexUid: string,
  request: FacetSearchRequest,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Buffer> {
  const surroundings = { ...surroundingsOf(parts, stop), offers: offersOf(parts) };
  const { reader, json } = await acceptedFacetSearch(indexUid, request, parts, surroundings);
  return reader.facetSearch(json, stop);
}

/** Searches the documents of one index that are similar to one of them. */
export async function searchSimilar(
  indexUid: string,
  request: SimilarRequest,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Buffer> {
  const reader = await requireReader(parts, indexUid);
  // The engine takes an absent parameter for its default.
  const present = Object.entries(request).filter(([, value]) => value != null);
  const id = documentIdOf(request.id);
  const engine = { ...Object.fromEntries(present), id, features: parts.features.all() };
  return reader.similar(JSON.stringify(engine), stop);
}
