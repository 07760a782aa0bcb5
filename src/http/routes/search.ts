import { visibleFilter } from '../../auth/access.js';
import { engineRequest, timesBefore } from '../../search/engine-request.js';
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

async function search(
  services: Services,
  queue: SearchQueue,
  { indexUid, access, request: sender }: SearchInput,
  request: SearchRequest,
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
    ...(includesMetadata(sender) ? { metadataOf: indexUid } : {}),
  });
  return queue.run((waitedMs) =>
    reader.search(JSON.stringify({ ...engine, ...timesBefore(request, waitedMs) })),
  );
}
