import type * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { decodeValue } from './decode-json.js';

/** A value that a schema lets through; throws what is wrong with it. */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const decoded = decodeValue(schema, value);
  if ('value' in decoded) return decoded.value;
  throw new ApiError(decoded.problem.code, decoded.problem.message);
}
