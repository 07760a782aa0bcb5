import { expect, test } from 'vitest';
import { comparison, countsTable, readCounts } from '../../bench/counts-report.mjs';

const written = (name: string, total: number) =>
  `# callgrind format\nversion: 1\ndesc: Timerange: Basic block 0 - 9\ndesc: Trigger: Client Request: ${name}\n\nevents: Ir\nsummary: 18446744073709380994\n\nfn=(1)\n1 ${total}\n\ntotals: ${total}\n`;

test('counts are read by the names that the program gave them', () => {
  const end = written('x', 7).replace('Client Request: x', 'Program termination');
  expect(readCounts([written('b.two', 20), written('a.one', 10), end])).toEqual({
    'a.one': 10,
    'b.two': 20,
  });
  expect(() => readCounts([end])).toThrow('callgrind wrote no counts');
});

test('an operation may take five per cent more, and any less', () => {
  const before = { same: 100, more: 1000, most: 1000, less: 1000 };
  const { wrong } = comparison(before, { same: 100, more: 1050, most: 1051, less: 1 });
  expect(wrong).toEqual([
    'most takes +5.10 % instructions',
    'if this is meant: npm run bench -- counts --update',
  ]);
});

test('an operation on one side alone is wrong, so none goes away unseen', () => {
  const { wrong, rows } = comparison({ gone: 1 }, { come: 1 });
  expect(wrong.slice(0, 2)).toEqual([
    'come is not in the baseline',
    'gone is in the baseline, but was not counted',
  ]);
  expect(rows.map(({ name }) => name)).toEqual(['come', 'gone']);
});

test('the table shows what rose first, and what fell last', () => {
  const { rows } = comparison({ a: 100, b: 1000, c: 10 }, { a: 90, b: 1020, c: 10 });
  expect(countsTable(rows).split('\n').slice(2)).toEqual([
    '| b | 1,000 | 1,020 | +2.00 % |',
    '| c | 10 | 10 | +0.00 % |',
    '| a | 100 | 90 | -10.00 % |',
  ]);
});
