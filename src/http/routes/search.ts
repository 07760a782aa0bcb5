import { type Access, visibleFilter } from '../../auth/access.js';
import { withQueryVector } from '../../search/query-vector.js';
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
    handle: (input) => search(services, queue, input, input.body),
  }),
  route({
    method: 'GET',
    path: '/indexes/:indexUid/search',
    actions: ['search'],
    query: searchQuerySchema,
    handle: (input) => search(services, queue, input, requestOfQuery(input.query as SearchQuery)),
  }),
];

async function search(
  services: Services,
  queue: SearchQueue,
  { indexUid, access }: { readonly indexUid: string; readonly access: Access },
  request: SearchRequest,
): Promise<Buffer> {
  const problem = searchProblem(request);
  if (problem !== undefined) throw problem;
  const reader = await requireReader(services, indexUid);
  const filter = visibleFilter(access, indexUid, request.filter);
  const full = await withQueryVector(indexUid, request, reader, services.queryEmbedder);
  const engine = engineRequest({ ...full, filter, features: services.features.all() });
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
