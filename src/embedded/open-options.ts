import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { FEATURE_NAMES } from '../features/feature.js';
import type { ServalOptions } from '../serval-options.js';
import { validated } from '../validation/validated.js';
import { present } from './plain-parameters.js';

/** A whole number from a least one on. */
const bound = (least: number) =>
  z.number().refine((value) => Number.isInteger(value) && value >= least, {
    error: `expected a whole number from ${least} on.`,
  });
const bytes = bound(0);
const seconds = z
  .number()
  .refine((value) => value > 0, { error: 'expected more than no seconds.' });
const folder = z.string().min(1, { error: 'expected the path of a folder.' });
const anything = z.unknown();

const schema = z.strictObject({
  maxIndexingMemory: bytes.optional(),
  maxIndexingThreads: bound(1).optional(),
  maxSearchMemory: bytes.optional(),
  maxBatchedTasks: bound(0).optional(),
  maxBatchBytes: bytes.optional(),
  features: z.array(z.enum(FEATURE_NAMES)).optional(),
  retention: z.strictObject({ maxTasks: bound(0), atOnce: bound(0) }).optional(),
  maxQueueBytes: bytes.optional(),
  dumpFolder: folder.optional(),
  snapshotFolder: folder.optional(),
  snapshotBucket: z.looseObject({}).optional(),
  snapshotEverySeconds: seconds.optional(),
  importFrom: z
    .strictObject({
      kind: z.enum(['dump', 'snapshot']),
      path: z.string(),
      ignoreMissing: z.boolean().optional(),
      ignoreIfDataExists: z.boolean().optional(),
    })
    .optional(),
  upgrade: z.boolean().optional(),
  exportPayloadBytes: bytes.optional(),
  fetch: anything.optional(),
  embedders: z.looseObject({}).optional(),
  personalization: anything.optional(),
  remoteSearchTimeoutMs: bound(0).optional(),
  searchRuleBudgets: anything.optional(),
  signal: anything.optional(),
  engine: anything.optional(),
} satisfies Record<keyof ServalOptions, z.ZodType>);

/** Throws `bad_request` for what an instance cannot be opened with. */
export function checkOpening(path: string, options: ServalOptions): void {
  if (typeof path !== 'string' || path === '') {
    throw new ApiError('bad_request', 'The path of a data folder must be a text, and not empty.');
  }
  validated(schema, present(options));
}
