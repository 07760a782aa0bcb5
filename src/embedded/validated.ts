import type * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { decodeValue } from '../validation/decode-json.js';
import { whereOf } from './condition.js';

/** A value that a schema lets through; throws what is wrong with it. */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const decoded = decodeValue(schema, value);
  if ('value' in decoded) return decoded.value;
  throw new ApiError(decoded.problem.code, decoded.problem.message);
}

/** Parameters as requests hold them: plain JSON, with the text of the filter. */
export function plainParameters(given: object): Record<string, unknown> {
  const { signal: _, filter, ...rest } = given as Record<string, unknown>;
  const present = Object.entries(rest).filter(([, value]) => value !== undefined);
  const plain: Record<string, unknown> = Object.fromEntries(present);
  if (filter !== undefined) plain.filter = plainFilter(filter);
  return plain;
}

/** A filter as requests hold it. */
export function plainFilter(filter: unknown): unknown {
  if (typeof filter === 'function') return String(filter(whereOf()));
  return filter == null ? null : JSON.parse(JSON.stringify(filter));
}
