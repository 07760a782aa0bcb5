import { type Access, visibleFilter } from '../../auth/access.js';
import { engineRequest } from '../../search/engine-request.js';
import { withQueryVector } from '../../search/query-vector.js';
import {
  type SearchQuery,
  type SearchRequest,
  searchQuerySchema,
  searchRequestSchema,
} from '../../search/search-request.js';
import { requestOfQuery, searchProblem } from '../../search/search-rules.js';
import { includesMetadata } from '../metadata-header.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, type RouteInput, route } from '../route.js';
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

type SearchInput = Pick<RouteInput<unknown, unknown>, 'indexUid' | 'access' | 'request'>;

function search(
  services: Services,
  queue: SearchQueue,
  { indexUid, access, request: sender }: SearchInput,
  request: SearchRequest,
): Promise<Buffer> {
  const more = includesMetadata(sender) ? { metadataOf: indexUid } : {};
  return searchIndex(services, queue, { indexUid, access }, request, more);
}

/** Answers a search on one index, under the rules of its sender. */
export async function searchIndex(
  services: Services,
  queue: SearchQueue,
  { indexUid, access }: { readonly indexUid: string; readonly access: Access },
  request: SearchRequest,
  more: { readonly metadataOf?: string } = {},
): Promise<Buffer> {
  const problem = searchProblem(request);
  if (problem !== undefined) throw problem;
  const reader = await requireReader(services, indexUid);
  const filter = visibleFilter(access, indexUid, request.filter);
  const full = await withQueryVector(indexUid, request, reader, services.queryEmbedder);
  const engine = engineRequest({
    ...full,
    filter,
    features: services.features.all(),
    ...more,
  });
  return queue.run(() => reader.search(JSON.stringify(engine)));
}
