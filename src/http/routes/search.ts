import {
  type SearchQuery,
  type SearchRequest,
  searchQuerySchema,
  searchRequestSchema,
} from '../../search/search-request.js';
import { requestOfQuery, searchProblem } from '../../search/search-rules.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import type { SearchQueue } from '../search-queue.js';
import type { Services } from '../services.js';

/** Searching one index. The engine writes the answer; nothing here looks into it. */
export const searchRoutes = (services: Services, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/indexes/:indexUid/search',
    actions: ['search'],
    body: searchRequestSchema,
    handle: ({ indexUid, body }) => search(services, queue, indexUid, body),
  }),
  route({
    method: 'GET',
    path: '/indexes/:indexUid/search',
    actions: ['search'],
    query: searchQuerySchema,
    handle: ({ indexUid, query }) =>
      search(services, queue, indexUid, requestOfQuery(query as SearchQuery)),
  }),
];

async function search(
  services: Services,
  queue: SearchQueue,
  indexUid: string,
  request: SearchRequest,
): Promise<Buffer> {
  const problem = searchProblem(request);
  if (problem !== undefined) throw problem;
  const reader = await requireReader(services, indexUid);
  const engine = engineRequest({ ...request, features: services.features.all() });
  return queue.run(() => reader.search(engine));
}

const NOTHING_INSERTED = new Set(['cropMarker', 'highlightPreTag', 'highlightPostTag']);

/**
 * The JSON that the engine takes: nulls stand for absent fields, except that absent tags and markers
 * insert nothing.
 */
function engineRequest(request: SearchRequest & { features: object }): string {
  if (!Object.values(request).includes(null)) return JSON.stringify(request);
  const fields = Object.entries(request).flatMap(([name, value]) => {
    if (value !== null) return [[name, value]];
    return NOTHING_INSERTED.has(name) ? [[name, '']] : [];
  });
  return JSON.stringify(Object.fromEntries(fields));
}
