import { ruleFilter, visibleFilter } from '../../auth/access.js';
import { documentIdOf } from '../../documents/document-id.js';
import { timesBefore } from '../../search/engine-request.js';
import {
  type SimilarRequest,
  similarQuerySchema,
  similarRequestSchema,
} from '../../search/similar-request.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, type RouteInput, route } from '../route.js';
import { filterFeatures, stopWhenGone } from '../search-context.js';
import type { SearchQueue } from '../search-queue.js';
import type { ReadServices } from '../services.js';

/** Documents of one index that are similar to one of them. */
export const similarRoutes = (services: ReadServices, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/indexes/:indexUid/similar',
    actions: ['search'],
    body: similarRequestSchema,
    handle: (input) => similar(services, queue, input, input.body),
  }),
  route({
    method: 'GET',
    path: '/indexes/:indexUid/similar',
    actions: ['search'],
    query: similarQuerySchema,
    handle: (input) => similar(services, queue, input, input.query as SimilarRequest),
  }),
];

type Asked = Pick<RouteInput<unknown, unknown>, 'indexUid' | 'access' | 'reply'>;

async function similar(
  services: ReadServices,
  queue: SearchQueue,
  { indexUid, access, reply }: Asked,
  request: SimilarRequest,
): Promise<Buffer> {
  const reader = await requireReader(services, indexUid);
  const filter = visibleFilter(access, indexUid, request.filter);
  const asked = { ...request, filter, shown: ruleFilter(access, indexUid) };
  const present = Object.entries(asked).filter(([, value]) => value != null);
  const engine = {
    ...Object.fromEntries(present),
    id: documentIdOf(request.id),
    features: filterFeatures(services),
  };
  const stop = stopWhenGone(reply);
  return queue.run((waitedMs) => {
    const json = JSON.stringify({ ...engine, ...timesBefore(request, waitedMs) });
    return reader.similar(json, stop);
  }, stop);
}
