import { engineSearch, timesBefore } from '../search/engine-request.js';
import type { Federation, MultiSearchQuery } from '../search/multi-search-request.js';
import { DEFAULT_CUTOFF_MS } from '../search/query-vector.js';
import type { SearchRequest } from '../search/search-request.js';
import { searchProblem } from '../search/search-rules.js';
import { answerFederation } from './answer-federation.js';
import { requireReader } from './require-index.js';
import type { SearchContext } from './search-context.js';
import type { IndexReader } from './services.js';

/** Answers a search of one index. The engine writes the answer; nothing here looks into it. */
export async function answerSearch(
  indexUid: string,
  request: SearchRequest,
  context: SearchContext,
): Promise<Buffer> {
  const problem = searchProblem(request, context.offers);
  if (problem !== undefined) throw problem;
  const reader = await requireReader(context.services, indexUid);
  const isPersonal = request.personalize != null;
  const answer =
    request.useNetwork === true
      ? await overNetwork(indexUid, request, context)
      : await alone(indexUid, request, reader, context);
  return isPersonal ? personalized(answer, request, reader, context) : answer;
}

async function alone(
  indexUid: string,
  request: SearchRequest,
  reader: IndexReader,
  context: SearchContext,
): Promise<Buffer> {
  const { queue, rules, stop } = context;
  const plain = await engineSearch(indexUid, request, reader, context);
  const search = withMarks(plain, indexUid, request, context);
  if (request.showPerformanceDetails) {
    return await queue.run((waitedMs) => {
      const timed = { ...search, ...timesBefore(request, waitedMs) };
      return reader.search(JSON.stringify(timed), rules, stop);
    }, stop);
  }
  const text = JSON.stringify(search);
  // Nothing is left to do for an answer that is remembered: it takes no turn from others.
  const remembered = reader.recall(text, rules);
  return remembered ?? (await queue.run(() => reader.search(text, rules, stop), stop));
}

/** The search with what its answer is to name or mark, which is nothing for most. */
function withMarks(
  search: object,
  indexUid: string,
  { personalize }: SearchRequest,
  { metadata }: SearchContext,
): object {
  if (!metadata && personalize == null) return search;
  return {
    ...search,
    ...(metadata ? { metadataOf: indexUid } : {}),
    ...(personalize == null ? {} : { marksPins: true }),
  };
}

/** A search over the network is a federation of one query whose answer looks like a search. */
function overNetwork(
  indexUid: string,
  request: SearchRequest,
  context: SearchContext,
): Promise<Buffer> {
  const { offset, limit, page, hitsPerPage, facets, distinct, personalize, ...search } = request;
  const { showPerformanceDetails = false, ...query } = search;
  const federation: Federation = {
    offset: offset ?? undefined,
    limit: limit ?? undefined,
    page,
    hitsPerPage,
    ...(facets == null || facets.length === 0
      ? {}
      : { facetsByIndex: { [indexUid]: facets }, mergeFacets: {} }),
    distinct,
    showPerformanceDetails,
    personalize,
  };
  const queries: MultiSearchQuery[] = [{ ...query, indexUid }];
  return answerFederation(queries, federation, context, true);
}

async function personalized(
  answer: Buffer,
  { personalize, q }: SearchRequest,
  reader: IndexReader,
  { services, startedAt }: SearchContext,
): Promise<Buffer> {
  const { personalizer, usage } = services;
  if (personalizer === undefined || personalize == null) return answer;
  const { searchCutoffMs }: { searchCutoffMs?: number | null } = JSON.parse(
    await reader.settingsWithoutWords(),
  );
  const leftMs = (searchCutoffMs ?? DEFAULT_CUTOFF_MS) - (performance.now() - startedAt);
  usage.personalizedSearches += 1;
  return personalizer.personalize(answer, { ...personalize, q, leftMs });
}
