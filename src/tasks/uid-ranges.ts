import type { UidRanges } from '../native/store.js';

/** How many uids the ranges hold. */
export function nUids(ranges: UidRanges): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** Whether the ranges hold a uid. */
export function holdsUid(ranges: UidRanges, uid: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (range !== undefined && range[1] < uid) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range !== undefined && range[0] <= uid;
}

/** Every uid that is in one of the sets, as ascending ranges that do not touch. */
export function uniteRanges(sets: readonly UidRanges[]): UidRanges {
  const sorted = sets.flat().sort((a, b) => a[0] - b[0]);
  const united: [number, number][] = [];
  for (const [first, last] of sorted) {
    const previous = united.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) {
      previous[1] = Math.max(previous[1], last);
    } else {
      united.push([first, last]);
    }
  }
  return united;
}
