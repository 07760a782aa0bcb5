/** The kinds of JSON values that messages tell apart, in the order in which they are listed. */
const KINDS = [
  'null',
  'boolean',
  'positiveInteger',
  'negativeInteger',
  'number',
  'string',
  'array',
  'object',
] as const;

/** A kind of JSON value; `number` is a number with a fraction. */
export type Kind = (typeof KINDS)[number];

const WORDS: Record<Kind, string> = {
  null: 'null',
  boolean: 'a boolean',
  positiveInteger: 'a positive integer',
  negativeInteger: 'a negative integer',
  number: 'a number',
  string: 'a string',
  array: 'an array',
  object: 'an object',
};

/** Integers above do not fit 64 bits, so the wire calls them numbers; the largest that fits reads as this one. */
export const INTEGER_LIMIT = 2 ** 64;

/** The kind of a decoded JSON value. */
export function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
    case 'number':
      return numberKind(value);
    default:
      return 'object';
  }
}

function numberKind(value: number): Kind {
  if (!Number.isInteger(value) || Math.abs(value) > INTEGER_LIMIT) return 'number';
  return value < 0 ? 'negativeInteger' : 'positiveInteger';
}

/** A list of accepted kinds in words: `a string or an array`, `null, a string, or an array`. */
export function describeKinds(kinds: Iterable<Kind>): string {
  const words = listWords(new Set(kinds));
  if (words.length <= 2) return words.join(' or ');
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;
}

/** Words for a set of kinds; kinds that together are all integers or all numbers merge. */
function listWords(kinds: Set<Kind>): string[] {
  const integer = kinds.has('positiveInteger') && kinds.has('negativeInteger');
  const anyNumber = integer && kinds.has('number');
  return KINDS.filter((kind) => kinds.has(kind)).flatMap((kind) => {
    if (!integer || !['positiveInteger', 'negativeInteger', 'number'].includes(kind)) {
      return [WORDS[kind]];
    }
    if (kind !== 'positiveInteger') return [];
    return [anyNumber ? 'a number' : 'an integer'];
  });
}

/** A found value in words: its kind and, unless it is null, its compact JSON. */
export function describeFound(kind: Kind, json: string): string {
  return kind === 'null' ? 'null' : `${WORDS[kind]}: \`${json}\``;
}

/** A number as answers write it: very large and very small ones with an exponent of two digits or more. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-5 && size < 1e16);
  return isPlain ? String(value) : value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
