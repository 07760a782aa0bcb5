import * as z from 'zod';
import { FEATURE_NAMES, type Feature } from '../../features/feature.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

const changesSchema = z
  .strictObject(
    Object.fromEntries(FEATURE_NAMES.map((name) => [name, z.boolean().nullish()])) as Record<
      Feature,
      z.ZodOptional<z.ZodNullable<z.ZodBoolean>>
    >,
  )
  .meta({ id: 'ExperimentalFeatures' });

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
    body: changesSchema,
    handle: async ({ body }) => {
      const given = Object.entries(body).filter(([, value]) => value != null);
      await features.set(Object.fromEntries(given) as Record<string, boolean>);
      return shownFeatures(features.all());
    },
  }),
];

function shownFeatures(on: Readonly<Record<string, boolean>>): Record<string, boolean> {
  return Object.fromEntries(FEATURE_NAMES.map((name) => [name, on[name] ?? false]));
}
