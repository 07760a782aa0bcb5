/** The bounds of a facet of numbers; one that is absent is open. */
export interface NumberRange {
  readonly least: number | undefined;
  readonly most: number | undefined;
}

/** A text as the filter language quotes it. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * The filter of everything chosen: values of one facet are alternatives, facets narrow each other.
 * `except` leaves the choice of one facet out.
 */
export function filterOf(
  chosen: ReadonlyMap<string, ReadonlySet<string>>,
  ranges: ReadonlyMap<string, NumberRange>,
  expression: string,
  except?: string,
): (string | string[])[] {
  const values = [...chosen]
    .filter(([facet]) => facet !== except)
    .map(([facet, texts]) => [...texts].map((text) => `${quoted(facet)} = ${quoted(text)}`));
  const bounds = [...ranges]
    .filter(([facet]) => facet !== except)
    .flatMap(([facet, { least, most }]) => [
      ...(least === undefined ? [] : [`${quoted(facet)} >= ${least}`]),
      ...(most === undefined ? [] : [`${quoted(facet)} <= ${most}`]),
    ]);
  return [...values, ...bounds, ...(expression.trim() === '' ? [] : [expression])];
}
