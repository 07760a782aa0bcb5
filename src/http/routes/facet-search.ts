import { acceptedFacetSearch } from '../../search/accepted-facet-search.js';
import { facetSearchRequestSchema } from '../../search/facet-search-request.js';
import { facetsOverNetwork } from '../facets-over-network.js';
import { type AnyRoute, route } from '../route.js';
import { searchContext, stopWhenGone } from '../search-context.js';
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
      const { indexUid, body } = input;
      const context = searchContext(services, queue, input, stopWhenGone(input.reply));
      const { stop } = context;
      const accepted = await acceptedFacetSearch(indexUid, body, services, context);
      const { reader, filter, json } = accepted;
      const here = () => queue.run(() => reader.facetSearch(json, stop), stop);
      const { useNetwork, ...asked } = body;
      if (useNetwork !== true) return here();
      const search = { indexUid, facetName: body.facetName, body: { ...asked, filter } };
      return facetsOverNetwork(search, here, reader, context);
    },
  }),
];
