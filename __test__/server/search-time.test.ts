import { expect, test } from 'vitest';
import { films, newFolder, type Server, start } from './servers.js';
import { ask, write } from './talk.js';

interface Hit {
  readonly id: number;
  readonly _rankingScoreDetails?: Record<string, unknown>;
}

interface Answer {
  readonly hits: Hit[];
  readonly estimatedTotalHits: number;
  readonly facetDistribution?: Record<string, Record<string, number>>;
  readonly performanceDetails?: Record<string, string>;
}

const search = (server: Server, request: object): Promise<Answer> =>
  ask<Answer>(`${server.url}/indexes/films/search`, 'POST', request);

/** Five hundred films, each with a vector of its own. */
async function withFilms(settings: object): Promise<Server> {
  const server = await start(await newFolder());
  await write(server.url, 'PATCH', '/indexes/films/settings', {
    filterableAttributes: ['genres'],
    sortableAttributes: ['release_date'],
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
    ...settings,
  });
  const documents = (await films()).map((film, at) => ({ ...film, _vectors: { own: [at, 1] } }));
  await write(server.url, 'POST', '/indexes/films/documents?primaryKey=id', documents);
  return server;
}

const KINDS: [string, object][] = [
  ['by words', { q: 'the dark of night' }],
  ['sorted, without words', { sort: ['release_date:desc'] }],
  ['sorted, by words', { q: 'the', sort: ['release_date:desc'] }],
  ['by a vector', { vector: [3, 1], hybrid: { embedder: 'own', semanticRatio: 1 } }],
];

test('a search without time gives its page unsorted, and counts everything', async () => {
  const cut = await withFilms({ searchCutoffMs: 0 });
  const whole = await withFilms({ searchCutoffMs: 600_000 });
  for (const [kind, request] of KINDS) {
    const asked = { ...request, facets: ['genres'], showRankingScoreDetails: true };
    const [hurried, patient] = [await search(cut, asked), await search(whole, asked)];
    const isSkipped = (hit: Hit) => 'skipped' in (hit._rankingScoreDetails ?? {});
    expect(hurried.hits, kind).toHaveLength(patient.hits.length);
    expect(hurried.hits.every(isSkipped), kind).toBe(true);
    expect(patient.hits.some(isSkipped), kind).toBe(false);
    expect(hurried.facetDistribution, kind).toEqual(patient.facetDistribution);
    expect(hurried.estimatedTotalHits, kind).toBe(patient.estimatedTotalHits);
  }
});

test('a search says where its time went when asked to, step by step', async () => {
  const server = await withFilms({});
  const asked = { facets: ['genres'], filter: 'genres EXISTS', showPerformanceDetails: true };
  const steps = async (request: object): Promise<string[]> => {
    const { performanceDetails = {} } = await search(server, { ...asked, ...request });
    for (const time of Object.values(performanceDetails)) {
      expect(time).toMatch(/^\d+\.\d\d(ns|µs|ms|s)$/);
    }
    return Object.keys(performanceDetails);
  };
  const common = (ranking: string[]) => [
    'wait in queue',
    'search',
    'search > evaluate filter',
    'search > tokenize query',
    'search > evaluate query',
    ...ranking.map((step) => `search > ${step}`),
    'search > facet distribution',
    'search > format',
  ];
  expect(await steps({})).toEqual(common(['placeholder ranking']));
  const sorted = await steps({ sort: ['release_date:desc'] });
  expect(sorted).toEqual(common(['placeholder ranking', 'placeholder ranking > sort']));
  const byWords = await steps({ q: 'dark night' });
  expect(byWords).toContain('search > keyword ranking > proximity');
  expect(byWords.indexOf('search > keyword ranking > words')).toBeLessThan(
    byWords.indexOf('search > keyword ranking > typo'),
  );
  expect(await search(server, { q: 'dark' })).not.toHaveProperty('performanceDetails');
});

test('several searches in one list say where their time went', async () => {
  const server = await withFilms({});
  const request = {
    federation: { showPerformanceDetails: true },
    queries: [{ indexUid: 'films', q: 'dark' }],
  };
  const answer = await ask<Answer>(`${server.url}/multi-search`, 'POST', request);
  expect(Object.keys(answer.performanceDetails ?? {})).toEqual(
    expect.arrayContaining([
      'wait in queue',
      'search',
      'search > execute local search',
      'search > merge results',
      'search > hydrate documents',
    ]),
  );
});
