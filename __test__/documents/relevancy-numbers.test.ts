import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { Serval } from '../../src/index.js';

/** What the page and its pictures say of a hit. */
interface Hit {
  title: string;
  _rankingScore: number;
  _rankingScoreDetails: Record<string, { score: number }>;
}

const RULES = ['words', 'typo', 'proximity', 'attributeRank', 'wordPosition', 'exactness'];
const page = readFileSync(inRoot('docs/relevancy.md'), 'utf8');
const picture = (name: string) => readFileSync(inRoot('docs/pictures', name), 'utf8');

let db: Serval;
let hits: Hit[];

beforeAll(async () => {
  db = await Serval.memory();
  const films = db.index('movies');
  await films.updateSettings({ searchableAttributes: ['title', 'cast', 'overview'] });
  const bytes = Readable.from([gunzipSync(readFileSync(inRoot('demo', 'movies.ndjson.gz')))]);
  await (await films.addDocuments(bytes, { format: { format: 'ndjson' } })).wait();
  const found = await films.search('night train', {
    limit: 1000,
    showRankingScore: true,
    showRankingScoreDetails: true,
  });
  hits = found.hits as unknown as Hit[];
}, 120_000);
afterAll(() => db?.close());

const rounded = (score: number, digits: number): number => Number(score.toFixed(digits));

test('the first hits have the scores of the table', () => {
  const rows = hits.slice(0, 5).map((hit) => {
    const scores = RULES.map((rule) => rounded(hit._rankingScoreDetails[rule]?.score ?? 0, 3));
    return `| ${[hit.title, ...scores, rounded(hit._rankingScore, 4)].join(' | ')} |`;
  });
  for (const row of rows) expect(page).toContain(row);
});

test('the buckets hold as many films as the picture says', () => {
  const score = (rule: string) => (hit: Hit) => hit._rankingScoreDetails[rule]?.score ?? 0;
  /** How many hits there are of each value, in the order of the hits. */
  const sizes = (among: Hit[], of: (hit: Hit) => number) =>
    [
      ...among.reduce((seen, hit) => seen.set(of(hit), (seen.get(of(hit)) ?? 0) + 1), new Map()),
    ].map(([, count]) => count as number);
  const both = hits.slice(0, sizes(hits, score('words'))[0]);
  const exact = both.slice(0, sizes(both, score('typo'))[0]);
  const near = exact.slice(0, sizes(exact, score('proximity'))[0]);
  const counts = [
    hits.length,
    ...sizes(hits, score('words')),
    ...sizes(both, score('typo')),
    ...sizes(exact, score('proximity')),
    ...sizes(near, score('attributeRank')),
  ];
  const shown = [...picture('buckets.svg').matchAll(/>(\d+) films?</g)].map(([, n]) => Number(n));
  expect(shown).toEqual(counts);
});

test('the words of the picture are found, and those it says are not', async () => {
  const films = db.index('movies');
  const marked = async (q: string): Promise<Set<string>> => {
    const found = await films.search(q, { limit: 1000, attributesToHighlight: ['*'] });
    const text = JSON.stringify(found.hits.map(({ _formatted }) => _formatted));
    return new Set(
      [...text.matchAll(/<em>(.*?)<\/em>([a-z]*)/g)].map(([, a, b]) => `${a}${b}`.toLowerCase()),
    );
  };
  const night = await marked('night ');
  expect(night).toContain('nights');
  expect(night).not.toContain('knight');
  const train = await marked('train');
  for (const word of ['trained', 'trainer', 'trail', 'twain']) expect(train).toContain(word);
  expect(train).not.toContain('strain');
});
