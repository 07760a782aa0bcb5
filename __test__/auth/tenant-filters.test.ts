import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SEED } from '../seed.js';
import { hostileFilter } from './hostile-filters.js';
import { type Answer, LEAK, RULES, serverOfTenants } from './two-tenants.js';

const PARAMETERS = { numRuns: 150, seed: SEED };
const MINUTES_MS = 240_000;

const SEARCH = fc.record(
  {
    q: fc.constantFrom('', 'note', 'foreign', 'foxes lakes', '"a foreign"', 'forein'),
    facets: fc.constantFrom(['*'], ['tags', 'mark'], ['level', 'shared']),
    distinct: fc.constantFrom('owner', 'level', 'tags'),
    sort: fc.constantFrom(['mark:desc'], ['level:asc', 'mark:asc'], ['_geoPoint(0, 0):asc']),
    // Not by frequency: how frequent a word is, all documents of an index say.
    matchingStrategy: fc.constantFrom('last', 'all'),
    attributesToRetrieve: fc.constantFrom(['*'], ['id', 'tags']),
    attributesToHighlight: fc.constant(['*']),
    showRankingScore: fc.constant(true),
    offset: fc.nat(3),
    limit: fc.constantFrom(0, 5, 100),
  },
  { requiredKeys: ['q'] },
);

/** A request to a route, for any index. */
type Ask = (uid: string) => readonly [method: string, url: string, body?: unknown];

/** Every route that a tenant token opens, with one filter; of the chat below. */
function requests(
  filter: unknown,
  search: Record<string, unknown>,
  id: string,
): Record<string, Ask> {
  const text = typeof filter === 'string' ? filter : JSON.stringify(filter);
  const asked = { ...search, filter };
  const paged = { q: search.q, filter, page: 1, hitsPerPage: 7 };
  const { limit: _, offset: __, facets, distinct: ___, ...query } = asked as typeof search;
  const hybrid = { vector: [1, 0], hybrid: { embedder: 'plain', semanticRatio: 0.5 } };
  const similar = { id, embedder: 'plain', filter, limit: 100 };
  const get = (path: string, more: Record<string, string>) =>
    `${path}?${new URLSearchParams({ filter: text, ...more })}`;
  return {
    'POST /search': (uid) => ['POST', `/indexes/${uid}/search`, asked],
    'POST /search, pages': (uid) => ['POST', `/indexes/${uid}/search`, paged],
    'POST /search, hybrid': (uid) => ['POST', `/indexes/${uid}/search`, { ...asked, ...hybrid }],
    'GET /search': (uid) => ['GET', get(`/indexes/${uid}/search`, { facets: '*', q: 'note' })],
    'POST /multi-search': (uid) => [
      'POST',
      '/multi-search',
      {
        queries: [
          { indexUid: uid, ...asked },
          { indexUid: uid, ...paged },
        ],
      },
    ],
    'POST /multi-search, federated': (uid) => [
      'POST',
      '/multi-search',
      {
        federation: {
          limit: 100,
          facetsByIndex: { [uid]: facets ?? ['tags', 'mark'] },
          mergeFacets: {},
        },
        queries: [
          { indexUid: uid, ...query },
          { indexUid: uid, q: 'foreign' },
        ],
      },
    ],
    'POST /facet-search': (uid) => [
      'POST',
      `/indexes/${uid}/facet-search`,
      { facetName: 'tags', q: search.q, filter },
    ],
    'POST /similar': (uid) => ['POST', `/indexes/${uid}/similar`, similar],
    'GET /similar': (uid) => [
      'GET',
      get(`/indexes/${uid}/similar`, { id, embedder: 'plain', limit: '100' }),
    ],
  };
}

/** What two answers must have in common, whichever index they come from. */
function comparable({ status, body, text }: Answer, uid: string): unknown {
  if (body.code === 'not_found_similar_id') return { status, body };
  if (status !== 200) return { status, code: body.code };
  const same = text
    .replaceAll(`"${uid}"`, '"index"')
    .replaceAll(/"(processingTimeMs|requestUid)":("[^"]*"|\d+)/g, '"$1":0');
  return JSON.parse(same);
}

const run = fc.record({
  filter: hostileFilter,
  search: SEARCH,
  rule: fc.nat(RULES.length - 1),
  // Documents that the token shows, that it does not, and that nobody has.
  id: fc.integer({ min: 1, max: 70 }).map(String),
});

test('what a token finds is what an index of its documents alone holds, whatever filter it is asked with', {
  timeout: MINUTES_MS,
}, async () => {
  const { call, tokens } = await serverOfTenants();
  let [answered, unfound] = [0, 0];
  await fc.assert(
    fc.asyncProperty(run, async ({ filter, search, rule, id }) => {
      const own = `own-${rule}`;
      for (const [name, ask] of Object.entries(requests(filter, search, id))) {
        const [method, url, body] = ask('notes');
        const [, ownUrl, ownBody] = ask(own);
        const found = await call(method, url, body, tokens[rule]);
        const there = await call(method, ownUrl, ownBody);
        const shown = { name, answer: comparable(found, 'notes') };
        expect(shown).toEqual({ name, answer: comparable(there, own) });
        if (found.body.code === 'not_found_similar_id') unfound += 1;
        if (found.status === 200) {
          answered += 1;
          expect(withoutQuery(found.text)).not.toMatch(LEAK);
        }
      }
    }),
    PARAMETERS,
  );
  expect(answered).toBeGreaterThan(PARAMETERS.numRuns);
  expect(unfound).toBeGreaterThan(PARAMETERS.numRuns / 4);
});

/** An answer without its number and the words that were asked for, which it repeats. */
const withoutQuery = (text: string): string =>
  text.replaceAll(/"(query|requestUid)":"(\\.|[^"\\])*"/g, '');

test('a document that a token does not show is no example, as if it were not there', async () => {
  const { call, tokens } = await serverOfTenants();
  const similar = (id: string, filter?: unknown) =>
    call('POST', '/indexes/notes/similar', { id, embedder: 'plain', filter }, tokens[0]);
  expect((await similar('60')).status).toBe(200);
  expect(
    (await call('POST', '/indexes/notes/similar', { id: '59', embedder: 'plain' })).status,
  ).toBe(200);
  // The second filter is refused: where there is a document, and nowhere else.
  for (const filter of [undefined, 'title = x']) {
    const [hidden, missing] = [await similar('59', filter), await similar('599', filter)];
    expect(hidden).toEqual({
      status: 400,
      text: missing.text.replaceAll('599', '59'),
      body: {
        message: 'Document `59` not found.',
        code: 'not_found_similar_id',
        type: 'invalid_request',
        link: expect.any(String),
      },
    });
  }
});
