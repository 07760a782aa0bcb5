/** Random choices that repeat from run to run. */
export interface RandomSource {
  /** An integer from 0 up to, not including, a limit. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
}

/** A source of random choices that depend on the seed alone. */
export function randomSource(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}
