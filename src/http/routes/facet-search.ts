import { visibleFilter } from '../../auth/access.js';
import { engineFacetSearch } from '../../search/engine-facet-search.js';
import { facetSearchRequestSchema } from '../../search/facet-search-request.js';
import { requireMediaAllowed } from '../../search/query-vector.js';
import { searchProblem } from '../../search/search-rules.js';
import { facetsOverNetwork } from '../facets-over-network.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import { filterFeatures, searchContext, stopWhenGone } from '../search-context.js';
import type { SearchQueue } from '../search-queue.js';
import type { ReadServices } from '../services.js';

/** Searching the values of a facet of one index. */
export const facetSearchRoutes = (services: ReadServices, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/indexes/:indexUid/facet-search',
    actions: ['search'],
    body: facetSearchRequestSchema,
    handle: async (input) => {
      const { indexUid, body, access } = input;
      const context = searchContext(services, queue, input, stopWhenGone(input.reply));
      const { offers, features, stop } = context;
      const { facetName, vector, media, hybrid, useNetwork } = body;
      const problem = searchProblem({ vector, media, hybrid, useNetwork }, offers);
      if (problem !== undefined) throw problem;
      const reader = await requireReader(services, indexUid);
      await requireMediaAllowed({ media, hybrid }, reader, features);
      const filter = visibleFilter(access, indexUid, body.filter);
      const json = engineFacetSearch(body, { filter, features: filterFeatures(services) });
      const here = () => queue.run(() => reader.facetSearch(json, stop), stop);
      if (useNetwork !== true) return here();
      const { useNetwork: _, ...asked } = body;
      const search = { indexUid, facetName, body: { ...asked, filter } };
      return facetsOverNetwork(search, here, reader, context);
    },
  }),
];
