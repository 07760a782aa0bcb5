import type * as z from 'zod';
import type { ErrorCode } from '../errors/codes.js';
import { rulesOf } from './field-rules.js';

type Schema = z.core.$ZodTypes;

/** Every code that a value may be refused with by a schema or by a part of it. */
export function codesOf(schema: z.core.$ZodType): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>();
  collect(schema as Schema, codes, new Set());
  return codes;
}

function collect(schema: Schema, codes: Set<ErrorCode>, seen: Set<Schema>): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  const { code, missing, immutable = {} } = rulesOf(schema) ?? {};
  for (const one of [code, missing, ...Object.values(immutable)]) {
    if (one !== undefined) codes.add(one);
  }
  for (const part of partsOf(schema)) collect(part as Schema, codes, seen);
}

function partsOf(schema: Schema): readonly z.core.$ZodType[] {
  const def = schema._zod.def;
  switch (def.type) {
    case 'object':
      return Object.values(def.shape);
    case 'array':
      return [def.element];
    case 'record':
      return [def.valueType];
    case 'union':
      return def.options;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return [def.innerType];
    case 'pipe':
      return [def.in, def.out];
    default:
      return [];
  }
}
