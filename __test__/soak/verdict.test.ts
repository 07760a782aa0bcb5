import { describe, expect, test } from 'vitest';
import { judge, type Minute } from '../../soak/load/verdict.mjs';

const FLAT: Minute = {
  reads: 2400,
  writes: 60,
  p50Ms: 2,
  p99Ms: 20,
  anonymousMiB: 200,
  residentMiB: 260,
  handles: 50,
  threads: 25,
  diskMiB: 40,
  databaseMiB: 1,
  logMiB: 16,
  payloads: 0,
  tasks: 430,
  waiting: 1,
  coreShare: 0.1,
};

const hour = (minute: (nth: number) => Partial<Minute>): Minute[] =>
  Array.from({ length: 60 }, (_, nth) => ({ ...FLAT, ...minute(nth) }));

const grown = (minutes: Minute[]): string[] =>
  judge(minutes)
    .filter(({ isRight }) => !isRight)
    .map(({ figure }) => figure);

describe('the verdict on a load', () => {
  test('is right when nothing grows but in the warm-up, and single minutes stand out', () => {
    const minutes = hour((nth) => ({
      anonymousMiB: nth < 14 ? 100 + 7 * nth : 200 + (nth % 5),
      p99Ms: nth % 9 === 0 ? 500 : 20,
    }));
    expect(grown(minutes)).toEqual([]);
  });

  test.each<[string, (nth: number) => Partial<Minute>]>([
    ['anonymousMiB', (nth) => ({ anonymousMiB: 200 + nth / 2 })],
    ['handles', (nth) => ({ handles: 50 + nth })],
    ['diskMiB', (nth) => ({ diskMiB: 40 + nth })],
    ['tasks', (nth) => ({ tasks: 60 * nth })],
    ['p99Ms', (nth) => ({ p99Ms: 20 + nth ** 2 / 10 })],
    ['logMiB', (nth) => ({ logMiB: nth === 40 ? 80 : 16 })],
  ])('names %s when it grows', (figure, minute) => {
    expect(grown(hour(minute))).toEqual([figure]);
  });
});
