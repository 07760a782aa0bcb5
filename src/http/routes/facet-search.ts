import { visibleFilter } from '../../auth/access.js';
import { facetSearchRequestSchema } from '../../search/facet-search-request.js';
import { requireMediaAllowed } from '../../search/query-vector.js';
import { searchProblem } from '../../search/search-rules.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import { searchContext } from '../search-context.js';
import type { SearchQueue } from '../search-queue.js';
import type { Services } from '../services.js';

/** Searching the values of a facet of one index. */
export const facetSearchRoutes = (services: Services, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/indexes/:indexUid/facet-search',
    actions: ['search'],
    body: facetSearchRequestSchema,
    handle: async (input) => {
      const { indexUid, body, access } = input;
      const { offers, features } = searchContext(services, queue, input);
      const { facetName, facetQuery, q, vector, media, hybrid, useNetwork, ...rest } = body;
      const problem = searchProblem({ vector, media, hybrid, useNetwork }, offers);
      if (problem !== undefined) throw problem;
      const reader = await requireReader(services, indexUid);
      await requireMediaAllowed({ media, hybrid }, reader, features);
      const { matchingStrategy, attributesToSearchOn, rankingScoreThreshold, locales } = rest;
      const request = {
        facetName,
        facetQuery,
        q,
        vector,
        media,
        hybrid,
        filter: visibleFilter(access, indexUid, rest.filter),
        matchingStrategy,
        attributesToSearchOn,
        rankingScoreThreshold,
        locales,
        features,
      };
      return queue.run(() => reader.facetSearch(JSON.stringify(request, withoutNulls)));
    },
  }),
];

/** The engine takes an absent parameter for its default. */
function withoutNulls(_name: string, value: unknown): unknown {
  return value ?? undefined;
}
