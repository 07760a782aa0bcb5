/** A repeatable source of choices. */
export function randomFrom(seed: number) {
  let state = seed >>> 0;
  const below = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  return { below, pick };
}
