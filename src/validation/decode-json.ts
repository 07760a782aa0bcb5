import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type * as z from 'zod';
import { explain, explainFloats } from './explain.js';
import { jsonError, MAX_DEPTH } from './json-error.js';
import { type Decoded, refused } from './problem.js';
import { type WholeFloats, wholeFloats } from './whole-floats.js';

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
  { value, floats }: Parsed,
): Decoded<z.output<Schema>> {
  const result = schema.safeParse(value);
  if (!result.success) return { problem: explain(schema, value, floats) };
  const problem = floats.size === 0 ? undefined : explainFloats(schema, value, floats);
  return problem === undefined ? { value: result.data } : { problem };
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
  readonly floats: WholeFloats;
}

/** Reads a JSON text whose shape is checked later. */
function parseJson(body: Buffer): Decoded<Parsed> {
  if (body.length === 0) return refused('missing_payload', 'A json payload is missing.');
  const text = isUtf8(body) ? body.toString('utf8') : undefined;
  let reason = text === undefined || mayBeTooMuch(text) ? jsonError(body) : undefined;
  if (reason === undefined && text !== undefined) {
    try {
      return { value: { value: JSON.parse(text), floats: wholeFloats(text) } };
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
