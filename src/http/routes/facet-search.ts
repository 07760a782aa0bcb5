import { visibleFilter } from '../../auth/access.js';
import { facetSearchRequestSchema } from '../../search/facet-search-request.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import type { SearchQueue } from '../search-queue.js';
import type { Services } from '../services.js';

/** Searching the values of a facet of one index. */
export const facetSearchRoutes = (services: Services, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/indexes/:indexUid/facet-search',
    actions: ['search'],
    body: facetSearchRequestSchema,
    handle: async ({ indexUid, body, access }) => {
      const reader = await requireReader(services, indexUid);
      const { facetName, facetQuery, q, filter, matchingStrategy, ...rest } = body;
      const { attributesToSearchOn, rankingScoreThreshold, locales } = rest;
      const request = {
        facetName,
        facetQuery,
        q,
        filter: visibleFilter(access, indexUid, filter),
        matchingStrategy,
        attributesToSearchOn,
        rankingScoreThreshold,
        locales,
        features: services.features.all(),
      };
      return queue.run(() => reader.facetSearch(JSON.stringify(request, withoutNulls)));
    },
  }),
];

/** The engine takes an absent parameter for its default. */
function withoutNulls(_name: string, value: unknown): unknown {
  return value ?? undefined;
}
