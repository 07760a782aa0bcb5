import { seesIndex } from '../auth/access.js';
import { invalidKey } from '../auth/authorize.js';
import type { Federation, MultiSearchQuery } from '../search/multi-search-request.js';
import { insideQuery } from '../search/multi-search-rules.js';
import { planQueries } from '../search/network-plan.js';
import { answerOverNetwork } from './answer-over-network.js';
import { nothingAsked } from './ask-servers.js';
import { engineQuery, givenFields, searchHere } from './engine-federation.js';
import type { SearchContext } from './search-context.js';

/**
 * Answers queries with one list of hits. `asSearch` gives the answer of its only query the form of
 * a search.
 */
export async function answerFederation(
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  context: SearchContext,
  asSearch = false,
): Promise<Buffer> {
  const counted = Object.keys(federation.facetsByIndex ?? {});
  if (counted.some((uid) => !seesIndex(context.access, uid))) throw invalidKey();
  const { network } = context.services;
  const plan = planQueries(queries, network.current, nothingAsked(network));
  if (plan !== undefined) return answerOverNetwork(plan, federation, context, asSearch);
  const request = {
    federation: givenFields(federation),
    queries: await engineQueries(queries, context),
    metadata: context.metadata,
    isPart: context.isPart,
    marksPins: federation.personalize != null,
  };
  return searchHere([...queries.map(({ indexUid }) => indexUid), ...counted], request, context);
}

/** The queries as the engine takes them; what is refused names its query. */
function engineQueries(
  queries: readonly MultiSearchQuery[],
  context: SearchContext,
): Promise<object[]> {
  return Promise.all(
    queries.map((query, at) => insideQuery(at, () => engineQuery(query, context))),
  );
}
