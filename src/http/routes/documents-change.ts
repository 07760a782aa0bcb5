import * as z from 'zod';
import { chosenByFilterProblem } from '../../documents/document-filter.js';
import {
  type AdditionQuery,
  additionQuerySchema,
  deletionByFilterSchema,
  deletionQuerySchema,
} from '../../documents/documents-change-request.js';
import type { PayloadFormat } from '../../documents/payload-reader.js';
import { ApiError } from '../../errors/api-error.js';
import type { TaskSummary } from '../../tasks/task.js';
import { type MediaType, mediaTypeOf } from '../content-type.js';
import { receiveDocuments } from '../receive-documents.js';
import { type ChosenByIds, idReceiver } from '../receive-ids.js';
import { type AnyRoute, type RouteInput, route } from '../route.js';
import type { Services } from '../services.js';

const DOCUMENT_TYPES: readonly MediaType[] = [
  'application/json',
  'application/x-ndjson',
  'text/csv',
];

/** Writing documents: whole ones by POST, changed fields by PUT. */
export const documentAdditionRoutes = (services: Services, bodyLimit: number): AnyRoute[] =>
  (['POST', 'PUT'] as const).map((method) =>
    route({
      method,
      path: '/indexes/:indexUid/documents',
      actions: ['documents.add'],
      query: additionQuerySchema,
      accepts: DOCUMENT_TYPES,
      handle: (input) =>
        addDocuments(services, input, method === 'POST' ? 'replace' : 'update', bodyLimit),
    }),
  );

async function addDocuments(
  { payloads, tasks }: Services,
  { indexUid, query, access, request, reply }: RouteInput<AdditionQuery, undefined>,
  method: 'replace' | 'update',
  bodyLimit: number,
): Promise<TaskSummary> {
  const format = formatOf(mediaTypeOf(request, DOCUMENT_TYPES), query.csvDelimiter);
  const payload = await receiveDocuments(request.raw, bodyLimit, format, payloads);
  reply.code(202);
  return tasks.enqueue({
    type: 'documentAdditionOrUpdate',
    indexUid,
    method,
    primaryKey: query.primaryKey ?? null,
    payload,
    skipCreation: query.skipCreation ?? false,
    mayCreateIndex: access.mayCreateIndexes,
    ...metadata(query),
  });
}

function formatOf(type: MediaType, csvDelimiter: string | undefined): PayloadFormat {
  if (type === 'text/csv') return { format: 'csv', delimiter: csvDelimiter ?? ',' };
  if (csvDelimiter === undefined)
    return { format: type === 'application/json' ? 'json' : 'ndjson' };
  throw new ApiError(
    'invalid_content_type',
    `The Content-Type \`${type}\` does not support the use of a csv delimiter. The csv delimiter can only be used with the Content-Type \`text/csv\`.`,
  );
}

/** A list of ids of any kind; it is received as what it chooses. */
const idListSchema: z.ZodType<ChosenByIds> = z.any();

/** Deleting documents: one, chosen ones, those of a filter, all. */
export const documentDeletionRoutes = ({ tasks, filters, payloads }: Services): AnyRoute[] => [
  route({
    method: 'DELETE',
    path: '/indexes/:indexUid/documents/:documentId',
    actions: ['documents.delete'],
    query: deletionQuerySchema,
    handle: ({ indexUid, params: { documentId = '' }, query, reply }) => {
      reply.code(202);
      const selection = { ids: [documentId] };
      return tasks.enqueue({ type: 'documentDeletion', indexUid, selection, ...metadata(query) });
    },
  }),
  route({
    method: 'DELETE',
    path: '/indexes/:indexUid/documents',
    actions: ['documents.delete'],
    query: deletionQuerySchema,
    handle: ({ indexUid, query, reply }) => {
      reply.code(202);
      return tasks.enqueue({
        type: 'documentDeletion',
        indexUid,
        selection: 'all',
        ...metadata(query),
      });
    },
  }),
  route({
    method: 'POST',
    path: '/indexes/:indexUid/documents/delete-batch',
    actions: ['documents.delete'],
    query: deletionQuerySchema,
    body: idListSchema,
    bodyFirst: true,
    receiver: idReceiver(payloads),
    handle: ({ indexUid, query, body: selection, reply }) => {
      reply.code(202);
      return tasks.enqueue({ type: 'documentDeletion', indexUid, selection, ...metadata(query) });
    },
  }),
  route({
    method: 'POST',
    path: '/indexes/:indexUid/documents/delete',
    actions: ['documents.delete'],
    query: deletionQuerySchema,
    body: deletionByFilterSchema,
    handle: ({ indexUid, query, body, reply }) => {
      const refusal = chosenByFilterProblem(body.filter, filters.problem);
      if (refusal !== undefined) throw refusal;
      reply.code(202);
      return tasks.enqueue({
        type: 'documentDeletion',
        indexUid,
        selection: { filter: body.filter },
        ...metadata(query),
      });
    },
  }),
];

function metadata({ customMetadata }: { customMetadata?: string | undefined }): {
  customMetadata?: string;
} {
  return customMetadata === undefined ? {} : { customMetadata };
}
