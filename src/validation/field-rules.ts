import * as z from 'zod';
import type { ErrorCode } from '../errors/codes.js';
import { INTEGER_LIMIT, type Kind } from './kinds.js';

/** What error messages need to know about a schema beyond its type. */
export interface FieldRules {
  /** The code of everything wrong with this value and, unless they say otherwise, its parts. */
  code?: ErrorCode;
  /** The code when the field is absent; otherwise the code of the object around it. */
  missing?: ErrorCode;
  /** The kinds named in a message about a wrong kind, where the type alone says it badly. */
  expected?: readonly Kind[];
  /** Fields of an object that exist but cannot be changed, with the code of trying to. */
  immutable?: Readonly<Record<string, ErrorCode>>;
  /** What is said of a value of the wrong kind, in place of the kinds expected and found. */
  wrongKind?: string;
  /** Whether numbers of a body stay as they are written, as `WrittenNumber`, where JavaScript would round them. */
  keepsDigits?: boolean;
  /** Whether an object stays a `WrittenJson` where JavaScript would change its numbers. */
  keepsJson?: boolean;
  /** Reads a query parameter whose text the type alone does not tell how to read. */
  fromText?: (text: string) => unknown;
  /** In a query list a star among the values means: no restriction; no text means: none of all. */
  starMeansAny?: boolean;
}

const rules = z.registry<FieldRules>();

/** The rules attached to a schema, directly or before it was made optional or nullable. */
export function rulesOf(schema: z.core.$ZodType): FieldRules | undefined {
  return rules.get(schema) as FieldRules | undefined;
}

/** A copy of the schema that carries rules; rules given before are kept unless given again. */
export function withRules<Schema extends z.ZodType>(schema: Schema, given: FieldRules): Schema {
  const copy = z.clone(schema) as Schema;
  const documented = schema.meta();
  if (documented !== undefined) z.globalRegistry.add(copy, documented);
  rules.add(copy, { ...rulesOf(schema), ...given } as z.core.$replace<FieldRules, Schema>);
  return copy;
}

/** A schema whose every problem is answered with one code. */
export function coded<Schema extends z.ZodType>(code: ErrorCode, schema: Schema): Schema {
  return withRules(schema, { code });
}

/** An integer of 64 bits from 0 on; what JSON numbers cannot hold exactly is cut to the largest they can. */
export const positiveInteger = withRules(
  z
    .number()
    .refine((value) => value >= 0 && value <= INTEGER_LIMIT && Number.isInteger(value))
    .overwrite((value) => Math.min(value, Number.MAX_SAFE_INTEGER))
    .meta({ type: 'integer', minimum: 0 }),
  { expected: ['positiveInteger'] },
);

/** An integer from 0 on that is kept in fewer bits than others. */
export const integerUpTo = (most: number) =>
  positiveInteger.refine((value) => value <= most, {
    error: ({ input }) =>
      `value: \`${String(input)}\` is too large to be deserialized, maximum value authorized is \`${most}\``,
  });

/** Thrown by `fromText` readers: why a text is refused. */
export class RefusedText extends Error {
  override readonly name = 'RefusedText';
  /** Whether the reason is the whole message, without the name of the parameter before it. */
  readonly whole: boolean;

  constructor(reason: string, options: { readonly whole?: boolean } = {}) {
    super(reason);
    this.whole = options.whole ?? false;
  }
}

/** A text in the form that a reader gives it; what the reader refuses by `RefusedText` is no such text. */
export const textReadBy = (read: (text: string) => string | undefined) =>
  z.string().check((payload) => {
    try {
      payload.value = read(payload.value) as string;
    } catch (error) {
      if (!(error instanceof RefusedText)) throw error;
      payload.issues.push({ code: 'custom', message: error.message, input: payload.value });
    }
  });
