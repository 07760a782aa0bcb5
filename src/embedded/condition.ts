import type { Attribute, AttributeValue } from './attribute.js';
import { Filter, type FilterValue, quotedAttribute, quotedList, quotedValue } from './filter.js';

/** The values that an attribute of some type can be compared with. */
export type Comparable<V> = unknown extends V ? FilterValue : Extract<V, FilterValue>;

/** The values of an attribute that have an order. */
type Ordered<V> = Extract<Comparable<V>, number | string>;

/** The values of an attribute that are text. */
type Text<V> = Extract<Comparable<V>, string> extends never ? never : string;

/** Begins a condition on an attribute of a document type. */
export type Where<T> = <Name extends Attribute<T> | '_geo'>(
  attribute: Name,
) => Condition<AttributeValue<T, Name>>;

/** A point on the globe, in degrees. */
export interface GeoPoint {
  readonly lat: number;
  readonly lng: number;
}

/** What may be asked of one attribute. Of a list, one of its elements must satisfy a condition. */
export class Condition<V> {
  readonly #attribute: string;

  /** @internal */
  constructor(attribute: string) {
    this.#attribute = quotedAttribute(attribute);
  }

  is(value: Comparable<V>): Filter {
    return this.#that(`= ${quotedValue(value)}`);
  }

  isNot(value: Comparable<V>): Filter {
    return this.#that(`!= ${quotedValue(value)}`);
  }

  /** It is one of the values; none of them: no document passes. */
  in(values: readonly Comparable<V>[]): Filter {
    return this.#that(`IN ${quotedList(values)}`);
  }

  notIn(values: readonly Comparable<V>[]): Filter {
    return this.#that(`NOT IN ${quotedList(values)}`);
  }

  greaterThan(value: Ordered<V>): Filter {
    return this.#that(`> ${quotedValue(value)}`);
  }

  atLeast(value: Ordered<V>): Filter {
    return this.#that(`>= ${quotedValue(value)}`);
  }

  lessThan(value: Ordered<V>): Filter {
    return this.#that(`< ${quotedValue(value)}`);
  }

  atMost(value: Ordered<V>): Filter {
    return this.#that(`<= ${quotedValue(value)}`);
  }

  /** From the lower to the upper value, both included. */
  between(lower: Ordered<V>, upper: Ordered<V>): Filter {
    return this.#that(`${quotedValue(lower)} TO ${quotedValue(upper)}`);
  }

  startsWith(text: Text<V>): Filter {
    return this.#that(`STARTS WITH ${quotedValue(text)}`);
  }

  /** Needs the experimental feature `containsFilter`. */
  contains(text: Text<V>): Filter {
    return this.#that(`CONTAINS ${quotedValue(text)}`);
  }

  /** The document has the attribute, whatever its value. */
  exists(): Filter {
    return this.#that('EXISTS');
  }

  isMissing(): Filter {
    return this.#that('NOT EXISTS');
  }

  isNull(): Filter {
    return this.#that('IS NULL');
  }

  isNotNull(): Filter {
    return this.#that('IS NOT NULL');
  }

  /** It is an empty text, list or object. */
  isEmpty(): Filter {
    return this.#that('IS EMPTY');
  }

  isNotEmpty(): Filter {
    return this.#that('IS NOT EMPTY');
  }

  #that(condition: string): Filter {
    return new Filter(`${this.#attribute} ${condition}`, 'condition');
  }
}

/** Conditions on documents of a type, without an index at hand. */
export function whereOf<T extends object = Record<string, unknown>>(): Where<T> {
  return (attribute) => new Condition(attribute);
}

/** The document lies within so many metres of a point; needs `_geo` or `_geojson` to be filterable. */
export function geoRadius(center: GeoPoint, metres: number): Filter {
  const numbers = [center.lat, center.lng, metres].map(quotedValue);
  return new Filter(`_geoRadius(${numbers.join(', ')})`, 'condition');
}

/** The document lies between two corners; needs `_geo` or `_geojson` to be filterable. */
export function geoBoundingBox(topRight: GeoPoint, bottomLeft: GeoPoint): Filter {
  return new Filter(`_geoBoundingBox(${corner(topRight)}, ${corner(bottomLeft)})`, 'condition');
}

/**
 * The shape of the document, its `_geojson`, meets a polygon of three corners or more; needs that to be filterable.
 * Documents with `_geo` alone never do.
 */
export function geoPolygon(...corners: readonly [GeoPoint, GeoPoint, GeoPoint, ...GeoPoint[]]) {
  return new Filter(`_geoPolygon(${corners.map(corner).join(', ')})`, 'condition');
}

const corner = ({ lat, lng }: GeoPoint): string => `[${quotedValue(lat)}, ${quotedValue(lng)}]`;
