import { describe, expect, test } from 'vitest';
import { mergeFacetHits } from '../../src/search/merge-facet-hits.js';

const FOUND = [
  [
    { value: 'Épée', count: 1 },
    { value: 'zebra', count: 3 },
  ],
  [
    { value: 'ant', count: 2 },
    { value: 'épée', count: 2 },
    { value: 'ox', count: 3 },
  ],
];

describe('the values that several servers found', () => {
  test('are one where they differ in case or form alone, and ordered by their normal form', () => {
    expect(mergeFacetHits(FOUND, { order: 'alpha', max: 100 })).toEqual([
      { value: 'ant', count: 2 },
      { value: 'Épée', count: 3 },
      { value: 'ox', count: 3 },
      { value: 'zebra', count: 3 },
    ]);
  });

  test('are ordered by count where the settings say so, and cut after they are added up', () => {
    expect(mergeFacetHits(FOUND, { order: 'count', max: 3 })).toEqual([
      { value: 'Épée', count: 3 },
      { value: 'zebra', count: 3 },
      { value: 'ox', count: 3 },
    ]);
    expect(mergeFacetHits([], { order: 'count', max: 3 })).toEqual([]);
  });
});
