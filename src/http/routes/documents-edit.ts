import { chosenByFilterProblem } from '../../documents/document-filter.js';
import { deletionQuerySchema } from '../../documents/documents-change-request.js';
import { contextOf, documentsEditSchema } from '../../documents/documents-edit-request.js';
import { ApiError } from '../../errors/api-error.js';
import { requireFeature } from '../../features/feature.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

/** Editing documents by a function, an experimental feature. */
export const documentEditRoutes = (services: Services): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/indexes/:indexUid/documents/edit',
    actions: ['documents.*'],
    query: deletionQuerySchema,
    body: documentsEditSchema,
    handle: async ({ indexUid, query: { customMetadata }, body, reply }) => {
      const on = services.features.all();
      requireFeature(on, 'editDocumentsByFunction', 'Using the documents edit route');
      const { filter = null } = body;
      const context = contextOf(body);
      const broken = await services.functions.problem(body.function);
      if (broken !== undefined) throw new ApiError('bad_request', broken);
      if (filter !== null) {
        const { problem } = services.filters;
        const refusal = chosenByFilterProblem(filter, problem, `Index \`${indexUid}\`: `);
        if (refusal !== undefined) throw refusal;
      }
      reply.code(202);
      return services.tasks.enqueue({
        type: 'documentEdition',
        indexUid,
        function: body.function,
        ...context,
        filter,
        ...(customMetadata === undefined ? {} : { customMetadata }),
      });
    },
  }),
];
