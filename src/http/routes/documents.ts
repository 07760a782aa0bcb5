import {
  documentQuerySchema,
  documentsQuerySchema,
  engineDocumentsRequest,
  type FetchDocuments,
  fetchDocumentsSchema,
} from '../../documents/documents-request.js';
import { documentNotFound } from '../../errors/not-found.js';
import { requireFeature } from '../../features/feature.js';
import { documentElsewhere, documentsOverNetwork } from '../documents-over-network.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, type RouteInput, route } from '../route.js';
import { filterFeatures, stopWhenGone } from '../search-context.js';
import type { SearchQueue } from '../search-queue.js';
import type { ReadServices } from '../services.js';

/** Reading documents, all or chosen ones, or one by its id. */
export const documentReadRoutes = (services: ReadServices, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/indexes/:indexUid/documents',
    actions: ['documents.get'],
    query: documentsQuerySchema,
    handle: (input) => fetchDocuments(services, queue, input, input.query),
  }),
  route({
    method: 'POST',
    path: '/indexes/:indexUid/documents/fetch',
    actions: ['documents.get'],
    body: fetchDocumentsSchema,
    handle: (input) => fetchDocuments(services, queue, input, input.body),
  }),
  route({
    method: 'GET',
    path: '/indexes/:indexUid/documents/:documentId',
    actions: ['documents.get'],
    query: documentQuerySchema,
    handle: async ({ indexUid, params: { documentId = '' }, query, reply }) => {
      const isSpread = usesNetwork(query.useNetwork, services);
      const reader = await requireReader(services, indexUid);
      const document = await reader.document(documentId, query.fields, query.retrieveVectors);
      if (document !== undefined) return document;
      if (isSpread) {
        const { useNetwork: _, ...asked } = query;
        const request = { ...asked, ids: [documentId], limit: 1 };
        const stop = stopWhenGone(reply);
        const found = await documentElsewhere({ indexUid, request }, services, stop);
        if (found !== undefined) return found;
      }
      throw documentNotFound(documentId);
    },
  }),
];

async function fetchDocuments(
  services: ReadServices,
  queue: SearchQueue,
  { indexUid, reply }: Pick<RouteInput<unknown, unknown>, 'indexUid' | 'reply'>,
  request: FetchDocuments,
): Promise<Buffer> {
  const isSpread = usesNetwork(request.useNetwork, services);
  const features = filterFeatures(services);
  // What is wrong with the request is told before its index is looked for.
  const engineRequest = engineDocumentsRequest(request, features);
  const reader = await requireReader(services, indexUid);
  const read = (json: string): Promise<Buffer> =>
    services.features.isOn('disableDocumentsFetchQueue')
      ? reader.documents(json)
      : queue.run(() => reader.documents(json));
  if (!isSpread) return read(engineRequest);
  const here = (asked: FetchDocuments) => read(engineDocumentsRequest(asked, features));
  return documentsOverNetwork({ indexUid, request }, here, services, stopWhenGone(reply));
}

function usesNetwork(useNetwork: boolean | null | undefined, { features }: ReadServices): boolean {
  if (useNetwork == null) return false;
  requireFeature(features.all(), 'network', 'passing `useNetwork` in a search query');
  return useNetwork;
}
