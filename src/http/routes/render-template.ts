import { indexRefusal } from '../../auth/access.js';
import { ApiError } from '../../errors/api-error.js';
import { requireFeature } from '../../features/feature.js';
import { renderRequestSchema } from '../../templates/render-request.js';
import { renderRequest } from '../../templates/render-template.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

/** Trying out templates. A key also needs to read documents: their texts are shown. */
export const renderTemplateRoutes = (services: Services): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/render-template',
    actions: ['settings.get'],
    alsoActions: ['documents.get'],
    body: renderRequestSchema,
    handle: ({ body, access }) => {
      const on = services.features.all();
      requireFeature(on, 'renderRoute', 'calling the /render-template route');
      return renderRequest(body, {
        isOn: (feature) => on[feature] ?? false,
        open: async (uid) => {
          const refusal = indexRefusal(access, uid);
          if (refusal !== undefined) throw new ApiError('invalid_api_key', refusal);
          const reader = await requireReader(services, uid);
          return {
            settingsWithoutWords: () => reader.settingsWithoutWords(),
            stats: () => reader.stats(),
            document: (id) => reader.document(id, undefined, undefined),
          };
        },
      });
    },
  }),
];
