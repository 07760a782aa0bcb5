import * as z from 'zod';
import { positiveInteger } from '../validation/field-rules.js';

const range = (name: string, accepts: (value: number) => boolean, words: string) =>
  [(value: Record<string, number>) => accepts(value[name] ?? 0), name, words] as const;

const mean = range('mean', (value) => value >= 0 && value <= 1, '[0, 1]');
const sigma = range('sigma', (value) => value > 0 && value <= 1, ']0, 1]');

/** How similarities of an embedder spread, to bring those of several embedders to one scale. */
const distributionSchema = z
  .strictObject({ mean: z.number(), sigma: z.number() })
  .superRefine((value, context) => {
    for (const [holds, name, words] of [mean, sigma]) {
      if (holds(value)) continue;
      const found = value[name as 'mean' | 'sigma'];
      const message = `the distribution ${name} must be in the range ${words}, got ${found}`;
      context.addIssue({ code: 'custom', message });
      return;
    }
  });

const fragments = z.record(z.string(), z.strictObject({ value: z.any() }).nullable());

/** Where embeddings come from. */
export const EMBEDDER_SOURCES = [
  'openAi',
  'huggingFace',
  'ollama',
  'userProvided',
  'rest',
  'composite',
] as const;

const ownFields = {
  source: z.enum(EMBEDDER_SOURCES).nullish(),
  model: z.string().nullish(),
  revision: z.string().nullish(),
  pooling: z.enum(['useModel', 'forceCls', 'forceMean']).nullish(),
  apiKey: z.string().nullish(),
  dimensions: positiveInteger.nullish(),
};

const textFields = {
  documentTemplate: z.string().nullish(),
  documentTemplateMaxBytes: positiveInteger.nullish(),
  url: z.string().nullish(),
  indexingFragments: fragments.nullish(),
  searchFragments: fragments.nullish(),
  request: z.any().nullish(),
  response: z.any().nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
};

/** An embedder inside a composite one: it has no spread and no quantization of its own. */
const nestedEmbedderSchema = z.strictObject({ ...ownFields, ...textFields });

/** One embedder, as sent: absent fields keep their value, null resets them. */
export const embedderSchema = z
  .strictObject({
    ...ownFields,
    binaryQuantized: z.boolean().nullish(),
    ...textFields,
    searchEmbedder: nestedEmbedderSchema.nullish(),
    indexingEmbedder: nestedEmbedderSchema.nullish(),
    distribution: distributionSchema.nullish(),
  })
  .meta({ id: 'Embedder' });

/** An embedder in a settings update. */
export type Embedder = z.output<typeof embedderSchema>;
