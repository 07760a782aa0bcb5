import {
  type SearchQuery,
  searchQuerySchema,
  searchRequestSchema,
} from '../../search/search-request.js';
import { requestOfQuery } from '../../search/search-rules.js';
import { answerSearch } from '../answer-search.js';
import { type AnyRoute, type RouteInput, route } from '../route.js';
import { type SearchContext, searchContext, stopWhenGone } from '../search-context.js';
import type { SearchQueue } from '../search-queue.js';
import type { ReadServices } from '../services.js';

/** Searching one index. */
export const searchRoutes = (services: ReadServices, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/indexes/:indexUid/search',
    actions: ['search'],
    body: searchRequestSchema,
    handle: (input) => answerSearch(input.indexUid, input.body, contextOf(services, queue, input)),
  }),
  route({
    method: 'GET',
    path: '/indexes/:indexUid/search',
    actions: ['search'],
    query: searchQuerySchema,
    handle: (input) => {
      const request = requestOfQuery(input.query as SearchQuery);
      return answerSearch(input.indexUid, request, contextOf(services, queue, input));
    },
  }),
];

function contextOf(
  services: ReadServices,
  queue: SearchQueue,
  input: Pick<RouteInput<unknown, unknown>, 'access' | 'request' | 'reply'>,
): SearchContext {
  return searchContext(services, queue, input, stopWhenGone(input.reply));
}
