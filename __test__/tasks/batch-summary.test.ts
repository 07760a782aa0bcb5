import { expect, test } from 'vitest';
import { batchStats } from '../../src/tasks/batch-summary.js';

test('a batch counts its tasks by index, whatever the indexes are called', () => {
  const member = { type: 'documentAdditionOrUpdate', status: 'succeeded', details: undefined };
  const names = ['films', 'constructor', '__proto__', 'constructor'];
  const { indexUids } = batchStats(names.map((indexUid) => ({ ...member, indexUid })));
  expect(Object.entries(indexUids)).toEqual([
    ['films', 1],
    ['constructor', 2],
    ['__proto__', 1],
  ]);
});
