import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { Serval, type ServalOptions } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';

const FILMS = [
  { id: 1, title: 'night train', genre: 'drama', year: 1950 },
  { id: 2, title: 'night bus', genre: 'drama', year: 1960 },
  { id: 3, title: 'night plane', genre: 'comedy', year: 1970 },
  { id: 4, title: 'day boat', genre: 'comedy', year: 1980 },
  { id: 5, title: 'day ferry', genre: 'horror', year: 1990 },
];
const SONGS = [
  { id: 1, title: 'night song' },
  { id: 9, title: 'day song' },
];

let db: Serval;
let app: FastifyInstance;

async function open(options: ServalOptions = {}): Promise<void> {
  db = await Serval.open(dataFolder(), { features: ['dynamicSearchRules'], ...options });
  app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6 });
  const [server, instance] = [app, db];
  onTestFinished(async () => {
    await server.close();
    await instance.close();
  });
  await write('PATCH', '/indexes/films/settings', {
    filterableAttributes: ['genre', 'year'],
    sortableAttributes: ['year'],
  });
  await write('POST', '/indexes/films/documents', FILMS);
  await write('POST', '/indexes/songs/documents', SONGS);
}

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at member by member
): Promise<any> {
  const response = await app.inject({ method, url, ...(payload === undefined ? {} : { payload }) });
  return response.json();
}

async function write(method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) {
  const { taskUid } = await call(method, url, payload);
  const task = await db.tasks.waitFor(taskUid);
  expect(task).toMatchObject({ status: 'succeeded' });
}

const pin = (id: number | string, position: number, indexUid?: string) => ({
  selector: { id: String(id), ...(indexUid === undefined ? {} : { indexUid }) },
  action: { type: 'pin', position },
});

const rule = (uid: string, body: object) => write('PATCH', `/dynamic-search-rules/${uid}`, body);

const search = (body: object) => call('POST', '/indexes/films/search', body);

const ids = ({ hits }: { hits: { id: number }[] }) => hits.map(({ id }) => id);

describe('a pinned document', () => {
  beforeEach(() => open());

  test('stands at its position whatever was searched for, once, and counts', async () => {
    await rule('a', { actions: [pin(5, 1)] });
    const answer = await search({ q: 'night', facets: ['genre'] });
    expect(ids(answer)).toEqual([1, 5, 2, 3]);
    expect(answer.estimatedTotalHits).toBe(4);
    expect(answer.facetDistribution).toEqual({ genre: { comedy: 1, drama: 2, horror: 1 } });
    expect(ids(await search({}))).toEqual([1, 5, 2, 3, 4]);
    expect(ids(await call('GET', '/indexes/films/search?q=night'))).toEqual([1, 5, 2, 3]);
  });

  test('is pulled forward when there are few hits', async () => {
    await rule('a', { actions: [pin(4, 70), pin(5, 7)] });
    expect(ids(await search({ q: 'night' }))).toEqual([1, 2, 3, 5, 4]);
    expect(ids(await search({ q: 'nothing' }))).toEqual([5, 4]);
  });

  test('stands at the same place of every page', async () => {
    await rule('a', { actions: [pin(3, 0), pin(5, 2)] });
    const all = ids(await search({}));
    expect(all).toEqual([3, 1, 5, 2, 4]);
    for (const [offset, limit] of [
      [0, 2],
      [1, 2],
      [2, 2],
      [3, 5],
      [4, 1],
      [5, 3],
      [9, 3],
      [2, 0],
    ] as const) {
      const page = await search({ offset, limit });
      expect(ids(page)).toEqual(all.slice(offset, offset + limit));
      expect(page.estimatedTotalHits).toBe(5);
    }
    const second = await search({ page: 2, hitsPerPage: 2 });
    expect(ids(second)).toEqual([5, 2]);
    expect(second).toMatchObject({ totalHits: 5, totalPages: 3 });
  });

  test('passes the filter of the search', async () => {
    await rule('a', { actions: [pin(5, 0), pin(3, 0)] });
    expect(ids(await search({ filter: 'genre = comedy' }))).toEqual([3, 4]);
  });

  test('says that it was pinned, and nothing of its ranking', async () => {
    await rule('a', { actions: [pin(5, 1)] });
    const { hits } = await search({
      q: 'night',
      limit: 2,
      showRankingScore: true,
      showRankingScoreDetails: true,
    });
    expect(hits[1]).toMatchObject({
      id: 5,
      _rankingScore: 1,
      _rankingScoreDetails: { pin: { order: 0, position: 1 } },
    });
    expect(hits[0]._rankingScoreDetails.pin).toBeUndefined();
  });

  test('keeps hits that share its distinct value away', async () => {
    await rule('a', { actions: [pin(2, 1)] });
    expect(ids(await search({ distinct: 'genre' }))).toEqual([3, 2, 5]);
    const counted = await search({ distinct: 'genre', page: 1 });
    expect(counted.totalHits).toBe(3);
  });

  test('is of the index that its rule names, or of any that has it', async () => {
    await rule('a', { actions: [pin(9, 0), pin(4, 0, 'songs')] });
    expect(ids(await search({ q: 'night' }))).toEqual([1, 2, 3]);
    expect(ids(await call('POST', '/indexes/songs/search', { q: 'night' }))).toEqual([9, 1]);
  });

  test('is no result of similar documents or of facet searches', async () => {
    await rule('a', { actions: [pin(5, 0)] });
    const { facetHits } = await call('POST', '/indexes/films/facet-search', {
      facetName: 'genre',
      q: 'night',
    });
    expect(facetHits.map(({ value }: { value: string }) => value)).toEqual(['comedy', 'drama']);
  });

  test('is searched for like others once its rule is inactive, removed or its feature off', async () => {
    await rule('a', { actions: [pin(5, 0)] });
    expect(ids(await search({ q: 'night' }))).toEqual([5, 1, 2, 3]);
    await rule('a', { active: false });
    expect(ids(await search({ q: 'night' }))).toEqual([1, 2, 3]);
    await rule('a', { active: true });
    await db.features.set({ dynamicSearchRules: false });
    expect(ids(await search({ q: 'night' }))).toEqual([1, 2, 3]);
    await db.features.set({ dynamicSearchRules: true });
    expect(ids(await search({ q: 'night' }))).toEqual([5, 1, 2, 3]);
    await write('DELETE', '/dynamic-search-rules/a');
    expect(ids(await search({ q: 'night' }))).toEqual([1, 2, 3]);
  });
});

describe('several rules', () => {
  beforeEach(() => open());

  test('go by precedence, those without one last, then by age', async () => {
    await rule('old', { actions: [pin(4, 0)] });
    await rule('low', { precedence: 1, actions: [pin(5, 0)] });
    await rule('high', { precedence: 7, actions: [pin(3, 0)] });
    await rule('new', { actions: [pin(2, 0)] });
    expect(ids(await search({}))).toEqual([5, 3, 4, 2, 1]);
  });

  test('pin a document once: the first one decides', async () => {
    await rule('a', { precedence: 2, actions: [pin(5, 0)] });
    await rule('b', { precedence: 1, actions: [pin(5, 3)] });
    expect(ids(await search({}))).toEqual([1, 2, 3, 5, 4]);
  });
});

describe('a rule applies', () => {
  beforeEach(() => open());

  const applies = async (conditions: object, body: object) => {
    await rule('a', { conditions, actions: [pin(5, 0)] });
    return ids(await search(body))[0] === 5;
  };
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();

  test('in its time', async () => {
    const time = { start: anHourAgo, end: inAnHour };
    expect(await applies({ time }, {})).toBe(true);
    expect(await applies({ time: { start: inAnHour } }, {})).toBe(false);
    expect(await applies({ time: { end: anHourAgo } }, {})).toBe(false);
    expect(await applies({ time: { end: inAnHour } }, {})).toBe(true);
  });

  test('to an empty query, or to any other', async () => {
    expect(await applies({ query: { isEmpty: true } }, { q: ' ' })).toBe(true);
    expect(await applies({ query: { isEmpty: true } }, { q: 'night' })).toBe(false);
    expect(await applies({ query: { isEmpty: false } }, { q: 'night' })).toBe(true);
    expect(await applies({ query: { isEmpty: false } }, {})).toBe(false);
  });

  test('to a query that has all its words, in any order and writing', async () => {
    const query = { words: 'Träin  night' };
    expect(await applies({ query }, { q: 'NIGHT, by train' })).toBe(true);
    expect(await applies({ query }, { q: 'night' })).toBe(false);
    expect(await applies({ query }, { q: 'nights train' })).toBe(false);
    expect(await applies({ query: { words: 'night' } }, { q: 'a b c d e f g h i night' })).toBe(
      true,
    );
    expect(await applies({ query: { words: 'night' } }, { q: 'a b c d e f g h i j night' })).toBe(
      false,
    );
  });

  test('to a filter that asks for its values', async () => {
    const filter = { values: { genre: 'Horror', year: 1990 } };
    expect(await applies({ filter }, { filter: 'genre = horror AND year = 1990' })).toBe(true);
    expect(await applies({ filter }, { filter: ['genre = horror', 'year = 1990'] })).toBe(true);
    expect(
      await applies(
        { filter },
        { filter: 'genre = horror AND year > 1', sort: ['year:asc'], q: 'x' },
      ),
    ).toBe(false);
    expect(await applies({ filter }, { q: 'night' })).toBe(false);
  });
});

test('what is beyond the budgets is passed over', async () => {
  await open({ searchRuleBudgets: { activeRules: 1, pinActions: 1, wordFuel: 2 } });
  await rule('a', { actions: [pin(5, 0), pin(4, 0)] });
  await rule('b', { actions: [pin(3, 0)] });
  expect(ids(await search({ q: 'night' }))).toEqual([5, 1, 2, 3]);
  await rule('a', { conditions: { query: { words: 'night by train' } } });
  expect(ids(await search({ q: 'night by train' }))[0]).toBe(1);
});

describe('in several searches at once', () => {
  beforeEach(async () => {
    await open();
    await rule('a', { actions: [pin(5, 1), pin(9, 0)] });
  });

  test('each has its own pins', async () => {
    const { results } = await call('POST', '/multi-search', {
      queries: [
        { indexUid: 'films', q: 'night' },
        { indexUid: 'songs', q: 'night' },
      ],
    });
    expect(results.map(ids)).toEqual([
      [1, 5, 2, 3],
      [9, 1],
    ]);
  });

  test('one list of hits has all pins at their positions', async () => {
    const queries = [
      { indexUid: 'films', q: 'night', showRankingScoreDetails: true },
      { indexUid: 'films', q: 'day' },
      { indexUid: 'songs', q: 'song', federationOptions: { weight: 0.5 } },
    ];
    const federation = { facetsByIndex: { films: ['genre'] } };
    const answer = await call('POST', '/multi-search', { federation, queries });
    const all = answer.hits.map((hit: { id: number; _federation: { indexUid: string } }) => [
      hit.id,
      hit._federation.indexUid,
    ]);
    expect(all.slice(0, 2)).toEqual([
      [9, 'songs'],
      [5, 'films'],
    ]);
    expect(all.length).toBe(7);
    expect(new Set(all.map(String)).size).toBe(7);
    expect(answer.estimatedTotalHits).toBe(7);
    expect(answer.facetsByIndex.films.distribution.genre).toEqual({
      comedy: 2,
      drama: 2,
      horror: 1,
    });
    expect(answer.hits[0]._federation).toEqual({
      indexUid: 'songs',
      queriesPosition: 2,
      weightedRankingScore: 0.5,
    });
    expect(answer.hits[1]._rankingScoreDetails).toEqual({ pin: { order: 0, position: 1 } });
    const page = await call('POST', '/multi-search', {
      federation: { offset: 1, limit: 3 },
      queries,
    });
    expect(ids(page)).toEqual(ids(answer).slice(1, 4));
  });
});
