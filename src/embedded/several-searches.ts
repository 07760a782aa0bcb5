import type { SearchStop } from '../native/search-stop.js';
import { multiSearchSchema } from '../search/multi-search-request.js';
import { validated } from '../validation/validated.js';
import { searchFederated, searchSeparately } from './multi-search.js';
import { plainParameters } from './plain-parameters.js';
import type { SearchParts } from './search-parts.js';
import type { Federation, IndexQuery } from './search-types.js';

/** Answers each of several searches. */
export async function searchEach<Response>(
  queries: readonly IndexQuery[],
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Response> {
  const request = validated(multiSearchSchema, { queries: plainQueries(queries) });
  return (await searchSeparately(request.queries, parts, stop)) as Response;
}

/** Answers several searches with one list of hits. */
export async function searchTogether<Response>(
  queries: readonly IndexQuery[],
  federation: Federation,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<Response> {
  const plain = { queries: plainQueries(queries), federation: plainParameters(federation) };
  const request = validated(multiSearchSchema, plain);
  const { federation: asked = {} } = request;
  return (await searchFederated(request.queries, asked ?? {}, parts, stop)) as Response;
}

function plainQueries(queries: readonly IndexQuery[]): unknown {
  return Array.isArray(queries) ? queries.map(plainParameters) : queries;
}
