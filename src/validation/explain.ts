import type * as z from 'zod';
import type { ErrorCode } from '../errors/codes.js';
import { expectedOneOf } from './did-you-mean.js';
import { rulesOf } from './field-rules.js';
import { describeFound, describeKinds, type Kind, kindOf, numberText } from './kinds.js';
import type { Problem } from './problem.js';
import type { WrittenNumbers } from './written-numbers.js';

/** Where the walk stands: the path so far, and the code that problems here are answered with. */
interface Place {
  readonly path: string;
  readonly code: ErrorCode;
  readonly numbers: WrittenNumbers;
  /** Whether the schema took the value: then only the form of its numbers can be wrong. */
  readonly wasTaken: boolean;
}

type Schema = z.core.$ZodTypes;

/**
 * The first problem of a JSON value that a schema refused, worded as the interface documents.
 *
 * Members are visited in the order of the payload; an unknown one is a problem at once, absent ones
 * only after all others; own checks of a schema come after those of its parts. Runs only on refused
 * values, so clarity goes before speed.
 */
export function explain(
  schema: z.ZodType,
  value: unknown,
  numbers: WrittenNumbers = NONE,
): Problem {
  const place: Place = { path: '', code: 'bad_request', numbers, wasTaken: false };
  const found = walk(schema as unknown as Schema, value, place);
  // A schema that refuses for a reason the walk does not know is a fault of ours, still answered.
  return found ?? { code: place.code, message: 'Invalid value: it was refused.' };
}

/** What is wrong with a value that a schema took: a number that the wire does not call an integer. */
export function explainNumbers(
  schema: z.ZodType,
  value: unknown,
  numbers: WrittenNumbers,
): Problem | undefined {
  const place: Place = { path: '', code: 'bad_request', numbers, wasTaken: true };
  return walk(schema as unknown as Schema, value, place);
}

const NONE: WrittenNumbers = new Map();

/** The kind of the value at a place. */
function kindAt(value: unknown, { path, numbers }: Place): Kind {
  return numbers.get(path)?.kind ?? kindOf(value);
}

function walk(schema: Schema, value: unknown, outer: Place): Problem | undefined {
  const rules = rulesOf(schema);
  const place = rules?.code === undefined ? outer : { ...outer, code: rules.code };
  const inner = unwrapped(schema, value);
  if (inner === 'accepted') return undefined;
  if (inner !== undefined) return walk(inner, value, place) ?? ownCheck(schema, value, place);
  if (!kindsOf(schema).includes(kindAt(value, place))) return wrongKind(schema, value, place);
  return walkParts(schema, value, place) ?? ownCheck(schema, value, place);
}

/** The schema inside a wrapper; `accepted` when the wrapper alone lets the value through. */
function unwrapped(schema: Schema, value: unknown): Schema | 'accepted' | undefined {
  const def = schema._zod.def;
  switch (def.type) {
    case 'nullable':
      return value === null ? 'accepted' : (def.innerType as Schema);
    case 'optional':
    case 'default':
    case 'prefault':
      return value === undefined ? 'accepted' : (def.innerType as Schema);
    case 'readonly':
      return def.innerType as Schema;
    case 'pipe':
      return def.in as Schema;
    case 'lazy':
      return def.getter() as Schema;
    default:
      return undefined;
  }
}

function walkParts(schema: Schema, value: unknown, place: Place): Problem | undefined {
  const def = schema._zod.def;
  switch (def.type) {
    case 'object':
      return walkObject(schema as z.core.$ZodObject, value as Record<string, unknown>, place);
    case 'record':
      return firstOf(Object.entries(value as object), ([name, member]) =>
        walk(def.valueType as Schema, member, { ...place, path: `${place.path}.${name}` }),
      );
    case 'array':
      return firstOf((value as unknown[]).entries(), ([index, element]) =>
        walk(def.element as Schema, element, { ...place, path: `${place.path}[${index}]` }),
      );
    case 'union': {
      if (place.numbers.size === 0 && accepts(schema, value)) return undefined;
      const fitting = (def.options as Schema[]).filter((one) =>
        kindsOf(one).includes(kindAt(value, place)),
      );
      const option = fitting.find((one) => accepts(one, value)) ?? fitting[0];
      return option === undefined ? wrongKind(schema, value, place) : walk(option, value, place);
    }
    case 'enum':
    case 'literal':
      return accepts(schema, value) ? undefined : unknownValue(schema, String(value), place);
    default:
      return undefined;
  }
}

function walkObject(
  schema: z.core.$ZodObject,
  value: Record<string, unknown>,
  place: Place,
): Problem | undefined {
  const { shape, catchall } = schema._zod.def;
  const strict = catchall?._zod.def.type === 'never';
  const names = Object.keys(shape);
  const present = firstOf(Object.entries(value), ([name, member]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field !== undefined) {
      return walk(field as Schema, member, { ...place, path: `${place.path}.${name}` });
    }
    return strict ? unknownField(schema, name, names, place) : undefined;
  });
  return (
    present ??
    firstOf(Object.entries(shape), ([name, field]) =>
      Object.hasOwn(value, name) || mayBeAbsent(field as Schema)
        ? undefined
        : missingField(field as Schema, name, place),
    )
  );
}

/** Whether an object may lack a field; one that takes anything takes no absence. */
function mayBeAbsent(field: Schema): boolean {
  return field._zod.optin !== undefined && accepts(field, undefined);
}

function unknownField(
  schema: z.core.$ZodObject,
  name: string,
  names: readonly string[],
  place: Place,
): Problem {
  const { immutable: fixed = {} } = rulesOf(schema) ?? {};
  const immutable = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
  if (immutable !== undefined) {
    const list = names.map((one) => `\`${one}\``).join(', ');
    return { code: immutable, message: `Immutable field \`${name}\`: expected one of ${list}` };
  }
  const message = `Unknown field \`${name}\`${inside(place)}: ${expectedOneOf(name, names)}`;
  return { code: place.code, message };
}

function missingField(field: Schema, name: string, place: Place): Problem {
  const code = rulesOf(field)?.missing ?? place.code;
  return { code, message: `Missing field \`${name}\`${inside(place)}` };
}

function unknownValue(schema: Schema, value: string, place: Place): Problem {
  const accepted = acceptedWords(schema);
  const message = `Unknown value \`${value}\`${at(place)}: ${expectedOneOf(value, accepted)}`;
  return { code: place.code, message };
}

function wrongKind(schema: Schema, value: unknown, place: Place): Problem {
  const rules = rulesOf(schema);
  if (rules?.wrongKind !== undefined) {
    return { code: place.code, message: `Invalid value${at(place)}: ${rules.wrongKind}` };
  }
  const expected = describeKinds(rules?.expected ?? kindsOf(schema));
  const found = describeFound(kindAt(value, place), writtenJson(value, place.path, place.numbers));
  const message = `Invalid value type${at(place)}: expected ${expected}, but found ${found}`;
  return { code: place.code, message };
}

/** The compact JSON of a value, its numbers in the form in which the wire reads them. */
export function writtenJson(value: unknown, path: string, numbers: WrittenNumbers): string {
  const written = numbers.get(path);
  if (written !== undefined) return written.text;
  if (typeof value === 'number') return numberText(value);
  if (numbers.size === 0 || typeof value !== 'object' || value === null) return compact(value);
  if (Array.isArray(value)) {
    return `[${value.map((one, index) => writtenJson(one, `${path}[${index}]`, numbers)).join()}]`;
  }
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}:${writtenJson(one, `${path}.${name}`, numbers)}`,
  );
  return `{${members.join()}}`;
}

/** The JSON of a value; of one that a program gave and JSON cannot hold, its text. */
function compact(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** The problem that a refinement of the schema itself reports, its parts being right. */
function ownCheck(schema: Schema, value: unknown, place: Place): Problem | undefined {
  if (place.wasTaken) return undefined;
  const result = (schema as unknown as z.ZodType).safeParse(value);
  if (result.success) return undefined;
  const message = result.error.issues[0]?.message ?? 'it was refused.';
  return { code: place.code, message: `Invalid value${at(place)}: ${message}` };
}

function accepts(schema: Schema, value: unknown): boolean {
  return (schema as unknown as z.ZodType).safeParse(value).success;
}

const at = (place: Place): string => (place.path === '' ? '' : ` at \`${place.path}\``);
const inside = (place: Place): string => (place.path === '' ? '' : ` inside \`${place.path}\``);

function firstOf<Item>(
  items: Iterable<Item>,
  problemOf: (item: Item) => Problem | undefined,
): Problem | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The words that an enumeration accepts, in declared order. */
export function acceptedWords(schema: z.core.$ZodType): string[] {
  const def = (schema as Schema)._zod.def;
  if (def.type === 'enum') return Object.values(def.entries).map(String);
  return def.type === 'literal' ? def.values.map(String) : [];
}

const ANY_NUMBER: readonly Kind[] = ['positiveInteger', 'negativeInteger', 'number'];
const EVERY_KIND: readonly Kind[] = ['null', 'boolean', ...ANY_NUMBER, 'string', 'array', 'object'];

/** The kinds of value that a schema can take. Optional fields do not count null. */
function kindsOf(schema: Schema): readonly Kind[] {
  const def = schema._zod.def;
  switch (def.type) {
    case 'string':
    case 'enum':
    case 'literal':
      return ['string'];
    case 'boolean':
      return ['boolean'];
    case 'number':
      return rulesOf(schema)?.expected ?? ANY_NUMBER;
    case 'array':
      return ['array'];
    case 'object':
    case 'record':
      return ['object'];
    case 'union':
      return (def.options as Schema[]).flatMap(kindsOf);
    case 'optional':
    case 'nullable':
    case 'default':
      return kindsOf(def.innerType as Schema);
    case 'pipe':
      return kindsOf(def.in as Schema);
    default:
      return EVERY_KIND;
  }
}
