import {
  documentQuerySchema,
  documentsQuerySchema,
  engineDocumentsRequest,
  type FetchDocuments,
  fetchDocumentsSchema,
} from '../../documents/documents-request.js';
import { ApiError } from '../../errors/api-error.js';
import { featureNotEnabled } from '../../features/feature.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import type { SearchQueue } from '../search-queue.js';
import type { Services } from '../services.js';

/** Reading documents, all or chosen ones, or one by its id. */
export const documentReadRoutes = (services: Services, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/indexes/:indexUid/documents',
    actions: ['documents.get'],
    query: documentsQuerySchema,
    handle: ({ indexUid, query }) => fetchDocuments(services, queue, indexUid, query),
  }),
  route({
    method: 'POST',
    path: '/indexes/:indexUid/documents/fetch',
    actions: ['documents.get'],
    body: fetchDocumentsSchema,
    handle: ({ indexUid, body }) => fetchDocuments(services, queue, indexUid, body),
  }),
  route({
    method: 'GET',
    path: '/indexes/:indexUid/documents/:documentId',
    actions: ['documents.get'],
    query: documentQuerySchema,
    handle: async ({ indexUid, params: { documentId = '' }, query }) => {
      refuseNetwork(query.useNetwork);
      const reader = await requireReader(services, indexUid);
      const document = await reader.document(documentId, query.fields, query.retrieveVectors);
      if (document !== undefined) return document;
      throw new ApiError('document_not_found', `Document \`${documentId}\` not found.`);
    },
  }),
];

async function fetchDocuments(
  services: Services,
  queue: SearchQueue,
  indexUid: string,
  request: FetchDocuments,
): Promise<Buffer> {
  refuseNetwork(request.useNetwork);
  const features = services.features.all();
  const engineRequest = engineDocumentsRequest(request, features);
  const reader = await requireReader(services, indexUid);
  if (services.features.all().disableDocumentsFetchQueue) return reader.documents(engineRequest);
  return queue.run(() => reader.documents(engineRequest));
}

function refuseNetwork(useNetwork: boolean | null | undefined): void {
  if (useNetwork == null) return;
  throw featureNotEnabled('network', 'passing `useNetwork` in a search query');
}
