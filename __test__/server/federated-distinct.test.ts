import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { SEED } from '../seed.js';
import { randomFrom } from '../tasks/random.js';
import { ask, MASTER_KEY, write } from './talk.js';

interface Row {
  readonly id: number;
  readonly price: number;
  readonly sku?: unknown;
}

interface Answer {
  readonly hits: readonly { readonly id: number }[];
  readonly totalHits: number;
}

const SETTINGS = { filterableAttributes: ['sku', 'price'], sortableAttributes: ['price'] };
const ROUNDS = 8;

let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  server = await startServer({ masterKey: MASTER_KEY });
});
afterAll(() => server.remove());

async function fill(indexUid: string, rows: readonly Row[]): Promise<void> {
  const path = `/indexes/${indexUid}`;
  await write(server.url, 'DELETE', path);
  await write(server.url, 'PATCH', `${path}/settings`, SETTINGS);
  await write(server.url, 'POST', `${path}/documents?primaryKey=id`, rows);
}

const federated = (queries: readonly object[], federation: object) =>
  ask<Answer>(`${server.url}/multi-search`, 'POST', { federation, queries });

const idsOf = ({ hits }: Answer) => hits.map(({ id }) => id);

/** Each page up to the first empty one. */
async function pagesOf(queries: readonly object[], hitsPerPage: number): Promise<Answer[]> {
  const pages = [];
  for (let page = 1; ; page += 1) {
    const answer = await federated(queries, { distinct: 'sku', page, hitsPerPage });
    pages.push(answer);
    if (answer.hits.length === 0) return pages;
  }
}

const DEAREST_FIRST = { sort: ['price:desc'] };

test('an empty text is no value, and a number is no text', async () => {
  await fill('shoes', [
    { id: 1, price: 9, sku: '' },
    { id: 2, price: 8, sku: '' },
    { id: 3, price: 7, sku: 10 },
    { id: 4, price: 6, sku: '10' },
    { id: 5, price: 5, sku: '#10' },
    { id: 6, price: 4, sku: 10 },
    { id: 7, price: 3, sku: [null, ''] },
  ]);
  const queries = [{ indexUid: 'shoes', ...DEAREST_FIRST }];
  const pages = await pagesOf(queries, 2);
  expect(pages.flatMap(idsOf)).toEqual([1, 2, 3, 4, 5, 7]);
  expect(new Set(pages.map(({ totalHits }) => totalHits))).toEqual(new Set([6]));
});

test('a hit whose values rule out many of another query lets those behind them onto the page', async () => {
  await fill('shoes', [
    { id: 2, price: 8, sku: ['x'] },
    { id: 3, price: 7, sku: ['y'] },
    { id: 4, price: 6, sku: ['z'] },
    { id: 5, price: 5, sku: ['w'] },
  ]);
  await fill('hats', [
    { id: 1, price: 9, sku: ['x', 'y', 'z'] },
    { id: 6, price: 4, sku: ['q'] },
  ]);
  const queries = ['shoes', 'hats'].map((indexUid) => ({ indexUid, ...DEAREST_FIRST }));
  expect((await pagesOf(queries, 2)).map(idsOf)).toEqual([[1, 5], [6], []]);
});

test('whatever the queries, the pages are the first document of each value, and each tells their number', {
  timeout: 120_000,
}, async () => {
  const { below, pick } = randomFrom(SEED);
  for (let round = 0; round < ROUNDS; round += 1) {
    const rows = new Map<number, Row>();
    for (const [uid, first] of [
      ['shoes', 0],
      ['hats', 1000],
    ] as const) {
      const some = Array.from({ length: 3 + below(40) }, (_, at): Row => {
        const sku = pick([`s${below(12)}`, `S${below(12)}`, below(4), '', null, true, undefined]);
        return { id: first + at, price: below(6), sku };
      });
      for (const row of some) rows.set(row.id, row);
      await fill(uid, some);
    }
    const queries = Array.from({ length: 1 + below(3) }, () => ({
      indexUid: pick(['shoes', 'hats']),
      filter: pick(['price >= 0', 'price > 2', 'price < 4']),
      ...DEAREST_FIRST,
    }));
    const all = idsOf(await federated(queries, { limit: 1000 }));
    const seen = new Set<string>();
    const expected = all.filter((id) => {
      const value = rows.get(id)?.sku ?? '';
      const key = `${typeof value === 'number'} ${value}`.toLowerCase();
      if (value === '') return true;
      return !seen.has(key) && seen.add(key);
    });
    const hitsPerPage = 1 + below(9);
    const pages = await pagesOf(queries, hitsPerPage);
    const about = `seed ${SEED}, round ${round}, ${JSON.stringify(queries)}`;
    expect(pages.flatMap(idsOf), about).toEqual(expected);
    const totals = new Set(pages.map(({ totalHits }) => totalHits));
    expect(totals, about).toEqual(new Set([expected.length]));
  }
});
