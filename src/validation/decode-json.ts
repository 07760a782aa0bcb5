import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { explain, explainNumbers, writtenJson } from './explain.js';
import { rulesOf } from './field-rules.js';
import { jsonError, MAX_DEPTH } from './json-error.js';
import { type Decoded, refused } from './problem.js';
import {
  WrittenJson,
  type WrittenNumber,
  type WrittenNumbers,
  writtenNumbers,
} from './written-numbers.js';

/** Reads a JSON body and checks it against a schema; the first problem is worded as documented. */
export function decodeJson<Schema extends z.ZodType>(
  schema: Schema,
  body: Buffer,
): Decoded<z.output<Schema>> {
  const parsed = parseJson(body);
  return 'problem' in parsed ? parsed : checked(schema, parsed.value);
}

/** The same for a body of megabytes: others have their turn between the steps. */
export async function decodeLargeJson<Schema extends z.ZodType>(
  schema: Schema,
  body: Buffer,
): Promise<Decoded<z.output<Schema>>> {
  const parsed = parseJson(body);
  await setImmediate();
  return 'problem' in parsed ? parsed : checked(schema, parsed.value);
}

function checked<Schema extends z.ZodType>(
  schema: Schema,
  { value, numbers }: Parsed,
): Decoded<z.output<Schema>> {
  if (numbers.size > 0) keepDigits(schema, value, numbers);
  const result = schema.safeParse(value);
  if (!result.success) return { problem: explain(schema, value, numbers) };
  const problem = numbers.size === 0 ? undefined : explainNumbers(schema, value, numbers);
  return problem === undefined ? { value: result.data } : { problem };
}

/** Puts numbers as they are written into the fields of an object that want them so. */
function keepDigits(schema: z.ZodType, value: unknown, numbers: WrittenNumbers): void {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  for (const [path, number] of numbers) {
    const [, name = '', inside] = /^\.(\w+)([.[].*)?$/s.exec(path) ?? [];
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    const rules = field === undefined ? undefined : rulesOf(field);
    if (rules?.keepsDigits === true) putDigits(object, name, inside, number);
    if (rules?.keepsJson === true && inside !== undefined) keepJson(object, name, numbers);
  }
}

/** Puts a number in the place of a field, or of an element of its list. */
function putDigits(
  object: Record<string, unknown>,
  name: string,
  inside: string | undefined,
  number: WrittenNumber,
): void {
  const index = /^\[(\d+)\]$/.exec(inside ?? '')?.[1];
  if (inside !== undefined && index === undefined) return;
  const [holder, key] = index === undefined ? [object, name] : [object[name], Number(index)];
  // Names with dots or brackets, and those given twice, can look like the path of something else.
  const held = holder as Record<string | number, unknown> | null | undefined;
  if (held != null && typeof held[key] === 'number') held[key] = number;
}

function keepJson(object: Record<string, unknown>, name: string, numbers: WrittenNumbers): void {
  const value = object[name];
  if (typeof value !== 'object' || value === null || value instanceof WrittenJson) return;
  object[name] = new WrittenJson(value, writtenJson(value, `.${name}`, numbers));
}

/** Checks a decoded JSON value against a schema. */
export function decodeValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Decoded<z.output<Schema>> {
  const result = schema.safeParse(value);
  return result.success ? { value: result.data } : { problem: explain(schema, value) };
}

/** A JSON text as a value, and what of its numbers the value does not tell. */
interface Parsed {
  readonly value: unknown;
  readonly numbers: WrittenNumbers;
}

/** Reads a JSON text whose shape is checked later. */
function parseJson(body: Buffer): Decoded<Parsed> {
  if (body.length === 0) return refused('missing_payload', 'A json payload is missing.');
  const text = isUtf8(body) ? body.toString('utf8') : undefined;
  let reason = text === undefined || mayBeTooMuch(text) ? jsonError(body) : undefined;
  if (reason === undefined && text !== undefined) {
    try {
      return { value: { value: JSON.parse(text), numbers: writtenNumbers(text) } };
    } catch {
      // Described below.
    }
  }
  reason ??= jsonError(body) ?? 'invalid unicode code point at line 1 column 0';
  const message = `The json payload provided is malformed. \`${reason}\`.`;
  return refused('malformed_payload', message);
}

/** Whether a closer look is due: JavaScript takes texts that the engine does not. */
function mayBeTooMuch(text: string): boolean {
  if (text.includes('\\u') && /\\u[dD]/.test(text)) return true;
  // Digits are counted from the first of a row only: a text may be nothing but rows of them.
  if (/\d[eE]\+?\d{3}|(?<!\d)\d{308}/.test(text)) return true;
  if (text.length < MAX_DEPTH) return false;
  return occurrences(text, '[', MAX_DEPTH) + occurrences(text, '{', MAX_DEPTH) >= MAX_DEPTH;
}

/** How often a character stands in a text, counted up to a number. */
function occurrences(text: string, character: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count < most; count += 1) {
    at = text.indexOf(character, at + 1);
  }
  return count;
}
