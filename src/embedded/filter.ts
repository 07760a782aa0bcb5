/** How tightly the outermost operator of a filter binds. */
type Binding = 'or' | 'and' | 'not' | 'condition';

/** Values that conditions compare with. */
export type FilterValue = string | number | boolean;

/** Words that are no attributes unless quoted. */
const RESERVED =
  /^(AND|OR|IN|NOT|TO|EXISTS|IS|NULL|EMPTY|CONTAINS|STARTS|WITH|_geoRadius|_geoBoundingBox|_geoPolygon)$/;
const BARE_WORD = /^[\p{L}\p{N}_.-]+$/u;
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * A filter that is right by construction: values are quoted, so what people type is never read as
 * an operator. It stands wherever a filter is taken, and its text is that of the filter language.
 *
 * @example
 * ```ts
 * const recent = movies.where('year').atLeast(1970);
 * const drama = movies.where('genres').in(['Drama', 'Crime']);
 * console.log(String(recent.and(drama))); // year >= 1970 AND genres IN ["Drama", "Crime"]
 * ```
 */
export class Filter {
  readonly #text: string;
  readonly #binding: Binding;

  /** @internal */
  constructor(text: string, binding: Binding) {
    this.#text = text;
    this.#binding = binding;
  }

  /** Both this and all the others hold. */
  and(...others: readonly Filter[]): Filter {
    return joined('and', [this, ...others]);
  }

  /** This or one of the others holds. */
  or(...others: readonly Filter[]): Filter {
    return joined('or', [this, ...others]);
  }

  /** This does not hold. */
  not(): Filter {
    return new Filter(`NOT ${this.#inside('not')}`, 'not');
  }

  /** The filter in the filter language. */
  toString(): string {
    return this.#text;
  }

  /** The filter as requests hold it. */
  toJSON(): string {
    return this.#text;
  }

  /** @internal The text as an operand of an operator that binds so. */
  static operand(filter: Filter, outer: 'or' | 'and' | 'not'): string {
    return filter.#inside(outer);
  }

  #inside(outer: 'or' | 'and' | 'not'): string {
    const order: readonly Binding[] = ['or', 'and', 'not', 'condition'];
    const binds = order.indexOf(this.#binding) >= order.indexOf(outer);
    return binds ? this.#text : `(${this.#text})`;
  }
}

function joined(operator: 'or' | 'and', filters: readonly [Filter, ...Filter[]]): Filter {
  const [first, ...rest] = filters;
  if (rest.length === 0) return first;
  const word = operator === 'or' ? ' OR ' : ' AND ';
  return new Filter(filters.map((one) => Filter.operand(one, operator)).join(word), operator);
}

/** A filter that holds where all of its parts do. */
export function and(first: Filter, ...rest: readonly Filter[]): Filter {
  return first.and(...rest);
}

/** A filter that holds where one of its parts does. */
export function or(first: Filter, ...rest: readonly Filter[]): Filter {
  return first.or(...rest);
}

/** A filter that holds where another does not. */
export function not(filter: Filter): Filter {
  return filter.not();
}

/**
 * A filter as a template: what is put in is quoted. Lists stand after `IN`, filters in parentheses.
 *
 * @example
 * ```ts
 * const typed = `Crime" OR year > 0 OR genres = "`;
 * const chosen = filter`genres = ${typed} AND year > ${1970} AND id IN ${[1, 2]}`;
 * console.log((await movies.search('', { filter: chosen })).hits.length); // 0
 * ```
 */
export function filter(
  texts: TemplateStringsArray,
  ...values: readonly (FilterValue | readonly FilterValue[] | Filter)[]
): Filter {
  const quotedValues = values.map(inserted);
  return new Filter(String.raw({ raw: texts }, ...quotedValues).trim(), 'or');
}

function inserted(value: FilterValue | readonly FilterValue[] | Filter): string {
  if (value instanceof Filter) return `(${value})`;
  return isList(value) ? quotedList(value) : quotedValue(value);
}

const isList = Array.isArray as (value: unknown) => value is readonly FilterValue[];

/** Kinds of values that can be compared with; large integers come as `bigint`, too. */
const COMPARED = ['string', 'number', 'bigint', 'boolean'];

/** A value as the filter language reads it back. */
export function quotedValue(value: FilterValue): string {
  // A value that is missing would become a text such as "undefined", and select something else.
  if (!COMPARED.includes(typeof value)) {
    throw new TypeError(`${value} cannot stand in a filter: it is no text, number or boolean`);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${value} cannot stand in a filter: it is no finite number`);
  }
  const text = String(value);
  return typeof value !== 'string' && (typeof value === 'boolean' || PLAIN_NUMBER.test(text))
    ? text
    : quoted(text);
}

/** Values as a list after `IN`. */
export function quotedList(values: readonly FilterValue[]): string {
  return `[${values.map(quotedValue).join(', ')}]`;
}

/** An attribute as the filter language reads it back. */
export function quotedAttribute(attribute: string): string {
  return BARE_WORD.test(attribute) && !RESERVED.test(attribute) ? attribute : quoted(attribute);
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
