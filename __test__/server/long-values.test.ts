import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { MASTER_KEY, write } from './talk.js';

const MILLION = 1_000_000;
const WORDS = 1000;

let server: Awaited<ReturnType<typeof startServer>>;
let searchKey: string;

beforeAll(async () => {
  server = await startServer({ masterKey: MASTER_KEY });
  await write(server.url, 'PATCH', '/indexes/films/settings', { filterableAttributes: ['genre'] });
  await write(server.url, 'POST', '/indexes/films/documents', [
    { id: 1, genre: 'drama', text: 'winter '.repeat(WORDS) },
  ]);
  const made = await fetch(`${server.url}/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ actions: ['search'], indexes: ['films'], expiresAt: null }),
  });
  searchKey = ((await made.json()) as { key: string }).key;
});

afterAll(() => server.remove());

/** What who may only search is answered; bodies are sent as they are. */
async function asked(path: string, body: string) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${searchKey}`, 'Content-Type': 'application/json' },
    body,
  });
  return (await response.json()) as Record<string, unknown>;
}

const SEARCH = '/indexes/films/search';
const SEVERAL = '/multi-search';

// Each of these took minutes, or all memory there is, for one request.
test.each([
  ['the name of a field', SEARCH, () => `{"${'x'.repeat(20 * MILLION)}":1}`, 'bad_request'],
  [
    'a word among known ones',
    SEARCH,
    () => `{"matchingStrategy":"${'x'.repeat(20 * MILLION)}"}`,
    'invalid_search_matching_strategy',
  ],
  [
    'a name above many whole fractions',
    SEARCH,
    () => `{"q":{"${'x'.repeat(MILLION)}":[${'1.0,'.repeat(20_000)}1]}}`,
    'invalid_search_q',
  ],
  [
    'a tag around each of many matches',
    SEARCH,
    () =>
      JSON.stringify({
        q: 'winter',
        attributesToHighlight: ['*'],
        highlightPreTag: 'x'.repeat(10 * MILLION),
      }),
    'invalid_search_highlight_pre_tag',
  ],
  [
    'a query for facet values',
    '/indexes/films/facet-search',
    () => JSON.stringify({ facetName: 'genre', facetQuery: 'x'.repeat(5 * MILLION) }),
    undefined,
  ],
  [
    'a list of queries for one list of hits',
    SEVERAL,
    () =>
      JSON.stringify({
        federation: {},
        queries: Array(20_000).fill({ indexUid: 'films', q: 'winter' }),
      }),
    undefined,
  ],
])(
  '%s may be long: it is answered, and the server goes on',
  async (_, path, body, code) => {
    const answer = await asked(path, body());
    expect(answer.code).toBe(code);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  },
  60_000,
);

test('a body of millions of values is refused before it is read as JSON', async () => {
  const message = 'The provided payload has too many values. The maximum is 2000000.';
  const refused = expect.objectContaining({ code: 'payload_too_large', message });
  for (const value of ['[]', '{"a":1}', '0', '""']) {
    const values = Array.from({ length: 2 * MILLION }, () => value).join(',');
    expect(await asked(SEARCH, `{"filter":[${values}]}`)).toEqual(refused);
  }
});

test('a long text, and a million numbers, are no millions of values', async () => {
  const vector = Array.from({ length: MILLION }, () => '0.25').join(',');
  const media = 'aGVsbG8g'.repeat(MILLION);
  const answer = await asked(SEARCH, `{"q":"winter","vector":[${vector}],"media":"${media}"}`);
  expect(answer).toHaveProperty('code', 'invalid_search_media_and_vector');
});
