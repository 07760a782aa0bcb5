import * as z from 'zod';

/** A moment in RFC 3339, with up to nanoseconds. */
export const moment = z.string().meta({ format: 'date-time' });

/** An integer from 0 on. */
export const count = z.number().meta({ type: 'integer', minimum: 0 });

/** A duration in ISO 8601; null while there is none. */
export const duration = z
  .string()
  .nullable()
  .meta({ examples: ['PT0.004146S'] });

/** The error object of refusals, of failed tasks and of remotes that did not answer. */
export const errorSchema = z
  .object({
    message: z.string(),
    code: z.string(),
    type: z.enum(['invalid_request', 'auth', 'internal', 'system']),
    link: z.string().meta({ format: 'uri' }),
  })
  .meta({ id: 'Error', description: 'Why something was refused or failed' });

/** A part of a list, found by its distance from the start. */
export const pageOf = (result: z.ZodType) =>
  z.object({ results: z.array(result), offset: count, limit: count, total: count });
