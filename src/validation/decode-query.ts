import type * as z from 'zod';
import type { ErrorCode } from '../errors/codes.js';
import { expectedOneOf } from './did-you-mean.js';
import { acceptedWords } from './explain.js';
import { type FieldRules, RefusedText, rulesOf } from './field-rules.js';
import { type Decoded, type Problem, refused } from './problem.js';
import type { QueryPairs } from './query-string.js';

type Schema = z.core.$ZodTypes;
type Shape = Readonly<Record<string, z.ZodType>>;

/** One parameter while it is read. */
interface Parameter {
  readonly name: string;
  readonly code: ErrorCode;
}

/** Thrown within this module to leave nested readers; never seen outside. */
class Refusal extends Error {
  readonly problem: Problem;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.problem = { code, message };
  }
}

/**
 * Reads query parameters into an object that fits a schema: integers, booleans, enumerations and
 * comma-separated lists from their text, then the checks of the schema itself. Parameters are
 * visited in the order received; absent ones come last.
 */
export function decodeQuery<Query extends z.ZodObject>(
  schema: Query,
  pairs: QueryPairs,
): Decoded<z.output<Query>> {
  const shape = schema.shape as Shape;
  const found: Record<string, unknown> = {};
  try {
    for (const [name, text] of pairs) {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (field === undefined) return refused('bad_request', unknownParameter(name, shape));
      found[name] = readParameter(field, name, text);
    }
  } catch (refusal) {
    if (refusal instanceof Refusal) return { problem: refusal.problem };
    throw refusal;
  }
  return complete(schema, found);
}

function complete<Query extends z.ZodObject>(
  schema: Query,
  found: Record<string, unknown>,
): Decoded<z.output<Query>> {
  const result = schema.safeParse(found);
  if (result.success) return { value: result.data };
  for (const [name, field] of Object.entries(schema.shape as Shape)) {
    if (Object.hasOwn(found, name) || field.safeParse(undefined).success) continue;
    return refused(rulesOf(field)?.missing ?? 'bad_request', `Missing parameter \`${name}\``);
  }
  const issue = result.error.issues[0];
  return refused('bad_request', issue?.message ?? 'Invalid query parameters.');
}

function unknownParameter(name: string, shape: Shape): string {
  return `Unknown parameter \`${name}\`: ${expectedOneOf(name, Object.keys(shape))}`;
}

function readParameter(field: z.ZodType, name: string, text: string): unknown {
  const { schema, rules } = core(field as unknown as Schema);
  const parameter = { name, code: rules.code ?? 'bad_request' };
  const value =
    rules.fromText === undefined
      ? readText(schema, text, parameter, rules)
      : withRefusals(parameter, () => rules.fromText?.(text));
  const result = field.safeParse(value);
  if (result.success) return value;
  throw invalid(parameter, result.error.issues[0]?.message ?? 'it was refused.');
}

/** The schema without its optional and nullable wrappers, with the rules met on the way. */
function core(schema: Schema): { schema: Schema; rules: FieldRules } {
  const rules = rulesOf(schema) ?? {};
  const def = schema._zod.def;
  if (def.type !== 'optional' && def.type !== 'nullable' && def.type !== 'default') {
    return { schema, rules };
  }
  const inner = core(def.innerType as Schema);
  return { schema: inner.schema, rules: { ...inner.rules, ...rules } };
}

function readText(schema: Schema, text: string, parameter: Parameter, rules: FieldRules): unknown {
  const def = schema._zod.def;
  switch (def.type) {
    case 'number':
      return readInteger(text, parameter);
    case 'boolean':
      return readBoolean(text, parameter);
    case 'enum':
      return readWord(schema, text, parameter);
    case 'array':
      if (rules.starMeansAny === true) {
        if (text === '') return [];
        if (text.split(',').includes('*')) return undefined;
      }
      return readList(def.element as Schema, text, parameter);
    default:
      return text;
  }
}

function readInteger(text: string, parameter: Parameter): number {
  if (/^\+?\d+$/.test(text) && BigInt(text.replace('+', '')) < 2n ** 64n) return Number(text);
  throw invalid(parameter, `could not parse \`${text}\` as a positive integer`);
}

function readBoolean(text: string, parameter: Parameter): boolean {
  if (text === 'true') return true;
  if (text === 'false') return false;
  const reason = `could not parse \`${text}\` as a boolean, expected either \`true\` or \`false\``;
  throw invalid(parameter, reason);
}

function readWord(schema: Schema, text: string, { name, code }: Parameter): string {
  const words = acceptedWords(schema);
  if (words.includes(text)) return text;
  const expected = expectedOneOf(text, words);
  throw new Refusal(code, `Unknown value \`${text}\` for parameter \`${name}\`: ${expected}`);
}

function readList(element: Schema, text: string, parameter: Parameter): unknown[] {
  const texts = text.split(',');
  const { schema, rules } = core(element);
  return texts.map((one, index) => {
    const place =
      texts.length === 1 ? parameter : { ...parameter, name: `${parameter.name}[${index}]` };
    const value =
      rules.fromText === undefined
        ? readText(schema, one, place, rules)
        : withRefusals(place, () => rules.fromText?.(one));
    const result = (schema as unknown as z.ZodType).safeParse(value);
    if (result.success) return value;
    throw invalid(place, result.error.issues[0]?.message ?? 'it was refused.');
  });
}

/** Runs a reader of the schema; a refused text becomes the problem of the parameter. */
function withRefusals<T>(parameter: Parameter, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RefusedText)) throw error;
    throw error.whole
      ? new Refusal(parameter.code, error.message)
      : invalid(parameter, error.message);
  }
}

function invalid({ name, code }: Parameter, reason: string): Refusal {
  return new Refusal(code, `Invalid value in parameter \`${name}\`: ${reason}`);
}
