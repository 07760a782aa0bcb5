import { ApiError } from '../errors/api-error.js';
import { personalizationNotEnabled } from '../features/feature.js';
import { requireReader } from '../indexes/require-reader.js';
import type { SearchStop } from '../native/search-stop.js';
import { engineSearch } from '../search/engine-request.js';
import type { Federation, MultiSearchQuery } from '../search/multi-search-request.js';
import {
  BodyRefusal,
  federatedProblem,
  insideQuery,
  QueryRefusal,
  separateProblem,
} from '../search/multi-search-rules.js';
import { searchProblem } from '../search/search-rules.js';
import { searchIndexText, surroundingsOf } from './index-search.js';
import { offersOf, rulesOf, type SearchParts } from './search-parts.js';

/** Answers each query by itself, side by side; the first one that is refused refuses all. */
export async function searchSeparately(
  queries: readonly MultiSearchQuery[],
  parts: SearchParts,
  stop?: SearchStop,
): Promise<object> {
  const answers = await Promise.allSettled(
    queries.map((query, at) => insideQuery(at, () => separate(query, parts, stop))),
  );
  const results = answers.map((answer, at) => {
    if (answer.status === 'rejected') throw answer.reason;
    return { indexUid: queries[at]?.indexUid, ...JSON.parse(answer.value) };
  });
  return { results };
}

async function separate(
  query: MultiSearchQuery,
  parts: SearchParts,
  stop: SearchStop | undefined,
): Promise<string> {
  const problem = separateProblem(query);
  if (problem !== undefined) throw problem;
  const { indexUid, federationOptions: _, ...search } = query;
  return searchIndexText(indexUid, search, parts, stop);
}

/** Answers all queries with one list of hits. */
export async function searchFederated(
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  parts: SearchParts,
  stop?: SearchStop,
): Promise<object> {
  if (federation.personalize != null) throw personalizationNotEnabled();
  const isNetworkOn = parts.features.all().network ?? false;
  queries.forEach((query, at) => {
    const problem =
      federatedProblem(query, federation, isNetworkOn) ?? searchProblem(query, offersOf(parts));
    if (problem !== undefined) throw new QueryRefusal(at, problem);
  });
  const counted = Object.keys(federation.facetsByIndex ?? {});
  const uids = [...new Set([...queries.map(({ indexUid }) => indexUid), ...counted])];
  const request = {
    federation: withoutNulls(federation),
    queries: await Promise.all(
      queries.map((query, at) => insideQuery(at, () => federatedQuery(query, parts, stop))),
    ),
  };
  const { indexes } = parts;
  const json = JSON.stringify(request);
  try {
    const answer = await indexes.federatedSearch(uids, json, rulesOf(parts), stop);
    return JSON.parse(answer.toString());
  } catch (error) {
    throw error instanceof ApiError ? new BodyRefusal(error) : error;
  }
}

async function federatedQuery(
  query: MultiSearchQuery,
  parts: SearchParts,
  stop: SearchStop | undefined,
): Promise<object> {
  const { indexUid, federationOptions, ...search } = query;
  const reader = await requireReader(parts, indexUid);
  return {
    indexUid,
    weight: federationOptions?.weight ?? 1,
    queryPosition: federationOptions?.queryPosition ?? undefined,
    search: await engineSearch(indexUid, search, reader, surroundingsOf(parts, stop)),
  };
}

function withoutNulls(federation: Federation): object {
  return Object.fromEntries(Object.entries(federation).filter(([, value]) => value != null));
}
