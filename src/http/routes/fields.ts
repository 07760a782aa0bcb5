import { fieldsRequestSchema } from '../../indexes/fields-request.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import type { ReadServices } from '../services.js';

/** The fields of an index, with what its settings make of each. */
export const fieldRoutes = (services: ReadServices): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/indexes/:indexUid/fields',
    actions: ['fields.post'],
    body: fieldsRequestSchema,
    handle: async ({ indexUid, body }) =>
      (await requireReader(services, indexUid)).fields(JSON.stringify(body)),
  }),
];
