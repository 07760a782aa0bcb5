import {
  type SearchQuery,
  searchQuerySchema,
  searchRequestSchema,
} from '../../search/search-request.js';
import { requestOfQuery } from '../../search/search-rules.js';
import { answerSearch } from '../answer-search.js';
import { type AnyRoute, route } from '../route.js';
import { searchContext } from '../search-context.js';
import type { SearchQueue } from '../search-queue.js';
import type { Services } from '../services.js';

/** Searching one index. */
export const searchRoutes = (services: Services, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/indexes/:indexUid/search',
    actions: ['search'],
    body: searchRequestSchema,
    handle: (input) =>
      answerSearch(input.indexUid, input.body, searchContext(services, queue, input)),
  }),
  route({
    method: 'GET',
    path: '/indexes/:indexUid/search',
    actions: ['search'],
    query: searchQuerySchema,
    handle: (input) => {
      const request = requestOfQuery(input.query as SearchQuery);
      return answerSearch(input.indexUid, request, searchContext(services, queue, input));
    },
  }),
];
