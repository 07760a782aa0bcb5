import { FEATURE_NAMES } from '../../features/feature.js';
import { featureSwitchesSchema } from '../../features/feature-switches.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

/** Switching experimental features while the server runs. */
export const experimentalFeatureRoutes = ({ features }: Services): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/experimental-features',
    actions: ['experimental.get'],
    handle: () => shownFeatures(features.all()),
  }),
  route({
    method: 'PATCH',
    path: '/experimental-features',
    actions: ['experimental.update'],
    body: featureSwitchesSchema,
    handle: async ({ body }) => {
      await features.set(body);
      return shownFeatures(features.all());
    },
  }),
];

function shownFeatures(on: Readonly<Record<string, boolean>>): Record<string, boolean> {
  return Object.fromEntries(FEATURE_NAMES.map((name) => [name, on[name] ?? false]));
}
