import { exportDraft, exportSchema } from '../../export/export-request.js';
import { formatByteSize } from '../../indexes/byte-size.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

/** Copying indexes to another instance. */
export const exportRoutes = ({ tasks }: Services): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/export',
    actions: ['export'],
    body: exportSchema,
    handle: ({ body }) => tasks.enqueue(exportDraft(body, formatByteSize)),
  }),
];
