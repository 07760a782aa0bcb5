import * as z from 'zod';
import { FEATURE_NAMES, type Feature } from './feature.js';

/** Body of a change of experimental features: null and absent ones stay. */
export const featureSwitchesSchema = z
  .strictObject(
    Object.fromEntries(FEATURE_NAMES.map((name) => [name, z.boolean().nullish()])) as Record<
      Feature,
      z.ZodOptional<z.ZodNullable<z.ZodBoolean>>
    >,
  )
  .meta({ id: 'ExperimentalFeatures' });
