import { expect, test } from 'vitest';
import { firstGoodSecond } from '../../soak/overload/probe.mjs';

const good = Array.from({ length: 10 }, () => true);

test('searches are as usual from the first of ten in a row that are good', () => {
  expect(firstGoodSecond(good)).toBe(0);
  expect(firstGoodSecond(good.slice(1))).toBeUndefined();
  expect(firstGoodSecond([true, true, false, ...good])).toBe(3);
  expect(firstGoodSecond([...good.slice(1), false, ...good.slice(1)])).toBeUndefined();
});

test('a search that is not answered yet is not good', () => {
  const answers: (boolean | undefined)[] = [...good.slice(1), undefined, ...good];
  expect(firstGoodSecond(answers)).toBe(10);
});
