import type { SearchStop } from '../native/search-stop.js';
import { multiSearchSchema } from '../search/multi-search-request.js';
import { searchFederated, searchSeparately } from './multi-search.js';
import type { SearchParts } from './search-parts.js';
import type { Federation, IndexQuery } from './search-types.js';
import { plainParameters, validated } from './validated.js';

/** Answers each of several searches. */
export async function searchEach<Response>(
  queries: readonly IndexQuery[],
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Response> {
  const request = validated(multiSearchSchema, { queries: queries.map(plainParameters) });
  return (await searchSeparately(request.queries, parts, stop)) as Response;
}

/** Answers several searches with one list of hits. */
export async function searchTogether<Response>(
  queries: readonly IndexQuery[],
  federation: Federation,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Response> {
  const plain = { queries: queries.map(plainParameters), federation: plainParameters(federation) };
  const request = validated(multiSearchSchema, plain);
  const { federation: asked = {} } = request;
  return (await searchFederated(request.queries, asked ?? {}, parts, stop)) as Response;
}
