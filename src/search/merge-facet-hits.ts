/** A value of a facet, and how many documents have it. */
export interface FacetHit {
  readonly value: string;
  readonly count: number;
}

/** How the values of a facet are listed. */
export interface FacetListing {
  readonly order: 'alpha' | 'count';
  /** Values listed at the most. */
  readonly max: number;
}

/**
 * The values that several servers found, as if one had: values that differ in case or form alone
 * are one, written as the first server does, and counts are added up.
 */
export function mergeFacetHits(
  found: readonly (readonly FacetHit[])[],
  { order, max }: FacetListing,
): FacetHit[] {
  const merged = new Map<string, FacetHit>();
  for (const { value, count } of found.flat()) {
    const key = value.trim().normalize('NFKD').toLowerCase();
    const known = merged.get(key);
    merged.set(key, { value: known?.value ?? value, count: count + (known?.count ?? 0) });
  }
  const keyed = [...merged].map(([key, hit]) => ({ bytes: Buffer.from(key), hit }));
  keyed.sort((a, b) => {
    if (order === 'alpha') return Buffer.compare(a.bytes, b.bytes);
    return b.hit.count - a.hit.count || byBytes(b.hit.value, a.hit.value);
  });
  return keyed.slice(0, max).map(({ hit }) => hit);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
