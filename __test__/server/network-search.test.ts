import type { RequestListener } from 'node:http';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { loopbackService } from '../loopback-service.js';
import { newFolder, type Server, start } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

const FILMS = {
  a: [
    { id: 1, title: 'night', year: 2001, genre: 'drama' },
    { id: 2, title: 'night train to the sea', year: 2005, genre: 'comedy' },
  ],
  b: [
    { id: 11, title: 'night train', year: 2002, genre: 'drama' },
    { id: 12, title: 'a long way to the night', year: 2004, genre: 'horror' },
  ],
  c: [{ id: 21, title: 'one night', year: 2003, genre: 'drama' }],
};

type Name = keyof typeof FILMS;

interface Hit {
  readonly id: number;
  readonly _federation?: object;
}

interface Found {
  readonly hits: Hit[];
  readonly remoteErrors?: Record<string, { code: string; message: string; type: string }>;
  readonly [member: string]: unknown;
}

let servers: Record<Name, Server>;

async function startMember(films: object[]): Promise<Server> {
  const server = await start(await newFolder(), '--experimental-allowed-ip-networks', 'any');
  await ask(`${server.url}/experimental-features`, 'PATCH', {
    network: true,
    dynamicSearchRules: true,
  });
  await write(server.url, 'PATCH', '/indexes/films/settings', {
    filterableAttributes: ['genre', 'year'],
    sortableAttributes: ['year'],
  });
  await write(server.url, 'POST', '/indexes/films/documents', films);
  return server;
}

const remote = (url: string, searchApiKey: string | null = MASTER_KEY) => ({ url, searchApiKey });

/** Tells the first server of the others. */
const join = (remotes: Record<string, object | null>) =>
  ask(`${servers.a.url}/network`, 'PATCH', { self: 'a', remotes });

/** Starts servers, and tells the first one of all. */
async function startNetwork(...names: Name[]): Promise<void> {
  const started = await Promise.all(names.map((name) => startMember(FILMS[name])));
  const named = names.map((name, at) => [name, started[at]] as [Name, Server]);
  servers = Object.fromEntries(named) as Record<Name, Server>;
  await join(Object.fromEntries(named.map(([name, { url }]) => [name, remote(url)])));
}

const multi = (queries: object[], federation: object = {}) =>
  ask<Found>(`${servers.a.url}/multi-search`, 'POST', { federation, queries });

const on = (name: string, query: object = {}, options: object = {}) => ({
  indexUid: 'films',
  ...query,
  federationOptions: { remote: name, ...options },
});

const search = (body: object) =>
  ask<Found>(`${servers.a.url}/indexes/films/search`, 'POST', { useNetwork: true, ...body });

const ids = ({ hits }: Found) => hits.map(({ id }) => id);

/** A server that answers as it is told; it ends with the test. */
function impostor(listener: RequestListener): Promise<string> {
  return loopbackService((request, response) => {
    request.resume();
    request.on('end', () => listener(request, response));
  });
}

const answers =
  (status: number, text: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(text);
  };

describe('queries that name servers', () => {
  beforeEach(() => startNetwork('a', 'b', 'c'));

  test('become one list, ordered as if one server had all documents', async () => {
    const q = 'night train';
    const found = await multi([on('a', { q }), on('b', { q }), on('c', { q })]);
    expect(ids(found)).toEqual([11, 2, 1, 21, 12]);
    expect(found.hits[0]?._federation).toEqual({
      indexUid: 'films',
      queriesPosition: 1,
      weightedRankingScore: expect.closeTo(1, 1),
      remote: 'b',
    });
    expect(found.hits[1]?._federation).toMatchObject({ remote: 'a', queriesPosition: 0 });
    expect(found).toMatchObject({ limit: 20, offset: 0, estimatedTotalHits: 5, remoteErrors: {} });
  });

  test('are sorted by value, and weighed', async () => {
    const sort = ['year:desc'];
    const sorted = await multi([on('a', { sort }), on('b', { sort }), on('c', { sort })]);
    expect(ids(sorted)).toEqual([2, 12, 21, 11, 1]);
    const q = 'night';
    const weighed = await multi([on('a', { q }), on('b', { q }, { weight: 3 })]);
    expect(ids(weighed).slice(0, 2)).toEqual([11, 12]);
  });

  test('are paged after they are merged', async () => {
    const sort = ['year:asc'];
    const queries = [on('a', { sort }), on('b', { sort }), on('c', { sort })];
    expect(ids(await multi(queries, { offset: 1, limit: 2 }))).toEqual([11, 21]);
    const page = await multi(queries, { page: 3, hitsPerPage: 2 });
    expect(ids(page)).toEqual([2]);
    expect(page).toMatchObject({ page: 3, hitsPerPage: 2, totalPages: 3, totalHits: 5 });
  });

  test('have their facets added up, and one hit per value', async () => {
    const queries = [on('a'), on('b'), on('c')];
    const facetsByIndex = { films: ['genre', 'year'] };
    const summed = await multi(queries, { facetsByIndex, mergeFacets: {} });
    expect(summed.facetDistribution).toMatchObject({ genre: { comedy: 1, drama: 3, horror: 1 } });
    expect(summed.facetStats).toEqual({ year: { min: 2001, max: 2005 } });
    const byIndex = await multi(queries, { facetsByIndex });
    expect(byIndex.facetsByIndex).toMatchObject({
      films: { distribution: { genre: { comedy: 1, drama: 3, horror: 1 } } },
    });
    const distinct = await multi(queries, { distinct: 'genre' });
    expect(ids(distinct)).toEqual([1, 2, 12]);
    expect(distinct.estimatedTotalHits).toBe(3);
  });

  test('say what was asked where', async () => {
    const response = await fetch(`${servers.a.url}/multi-search`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${MASTER_KEY}`,
        'Content-Type': 'application/json',
        'Svc-Include-Metadata': 'true',
      },
      body: JSON.stringify({ federation: {}, queries: [on('b', { q: 'x' }), on('a', { q: 'y' })] }),
    });
    const { metadata } = (await response.json()) as { metadata: object[] };
    expect(metadata).toEqual([
      {
        query: 'x',
        queryUid: expect.any(String),
        indexUid: 'films',
        primaryKey: 'id',
        remote: 'b',
      },
      {
        query: 'y',
        queryUid: expect.any(String),
        indexUid: 'films',
        primaryKey: 'id',
        remote: 'a',
      },
    ]);
  });

  test('show the pinned documents of every server at their positions', async () => {
    for (const [name, id, position] of [
      ['a', 2, 1],
      ['c', 21, 0],
    ] as const) {
      await write(servers[name].url, 'PATCH', '/dynamic-search-rules/r', {
        actions: [{ selector: { id: String(id) }, action: { type: 'pin', position } }],
      });
    }
    const q = 'long';
    expect(ids(await multi([on('a', { q }), on('b', { q }), on('c', { q })]))).toEqual([21, 2, 12]);
  });

  test('are refused when nobody knows the server', async () => {
    await expect(multi([on('z')])).rejects.toThrow(
      /400.*Invalid `.federation_options.remote`: remote `z` is not registered.*invalid_multi_search_remote/,
    );
  });

  test('are refused as a whole when this server refuses its own', async () => {
    const queries = [on('b'), { ...on('a'), indexUid: 'nothing' }];
    await expect(multi(queries)).rejects.toThrow(
      /400.*Inside `.queries\[1\]`: Index `nothing` not found.*index_not_found/,
    );
  });
});

describe('a search over the network', () => {
  beforeEach(() => startNetwork('a', 'b', 'c'));

  test('finds the documents of all servers and looks like any search', async () => {
    const found = await search({ q: 'night', sort: ['year:asc'], facets: ['genre'], limit: 4 });
    expect(found.hits.length).toBe(4);
    expect(Object.keys(found)).toEqual([
      'hits',
      'query',
      'processingTimeMs',
      'limit',
      'offset',
      'estimatedTotalHits',
      'facetDistribution',
      'facetStats',
      'requestUid',
      'remoteErrors',
    ]);
    expect(found.hits.some((hit) => '_federation' in hit)).toBe(false);
    expect(found).toMatchObject({
      query: 'night',
      estimatedTotalHits: 5,
      facetDistribution: { genre: { comedy: 1, drama: 3, horror: 1 } },
    });
  });

  test('is a part of several searches, too', async () => {
    const body = { queries: [{ indexUid: 'films', useNetwork: true }, { indexUid: 'films' }] };
    const { results } = await ask<{ results: Found[] }>(
      `${servers.a.url}/multi-search`,
      'POST',
      body,
    );
    expect(results.map(({ hits }) => hits.length)).toEqual([5, 2]);
    const merged = await multi([{ indexUid: 'films', useNetwork: true }]);
    expect(merged.hits.length).toBe(5);
    expect(merged.hits.map((hit) => hit._federation)).toContainEqual(
      expect.objectContaining({ queriesPosition: 0, remote: 'c' }),
    );
  });

  test('is filtered on every server', async () => {
    const found = await search({ filter: 'genre = drama' });
    expect(new Set(ids(found))).toEqual(new Set([1, 11, 21]));
  });

  test('needs the feature', async () => {
    await ask(`${servers.a.url}/experimental-features`, 'PATCH', { network: false });
    await expect(search({})).rejects.toThrow(/400.*passing `useNetwork` in a search query/);
  });

  test('is refused like any other when it is wrong here', async () => {
    await expect(search({ filter: 'title = x' })).rejects.toThrow(
      /400.*"message":"Index `films`: /,
    );
    await expect(search({ facets: ['title'] })).rejects.toThrow(
      /400.*"message":"(Index `films`: )?Invalid facet distribution/,
    );
  });
});

const errorOf = async (name: string) => {
  const found = await multi([on('a', { q: 'night' }), on(name, { q: 'night' })]);
  expect(ids(found)).toEqual([1, 2]);
  expect(found.estimatedTotalHits).toBe(2);
  return found.remoteErrors?.[name];
};
const status = async (name: string) => {
  const network = await ask<{ remotes: Record<string, { status: string }> }>(
    `${servers.a.url}/network`,
  );
  return network.remotes[name]?.status;
};

describe('a server that does not answer as it should', () => {
  beforeEach(() => startNetwork('a', 'b', 'c'));

  test('because it is gone', async () => {
    await servers.b.stop('SIGKILL');
    expect(await errorOf('b')).toMatchObject({
      code: 'remote_could_not_send_request',
      message: 'error sending request',
      type: 'system',
    });
    expect(await status('b')).toBe('unavailable');
    expect(await status('c')).toBe('available');
    const found = await search({ q: 'night' });
    expect(new Set(ids(found))).toEqual(new Set([1, 2, 21]));
    expect(Object.keys(found.remoteErrors ?? {})).toEqual(['b']);
  });

  test('because its key is wrong', async () => {
    await join({ b: remote(servers.b.url, 'wrong') });
    expect(await errorOf('b')).toMatchObject({
      code: 'remote_invalid_api_key',
      message:
        'could not authenticate against the remote host\n  - hint: check that the remote instance was registered with a valid API key having the `search` action',
      type: 'auth',
    });
    expect(await status('b')).toBe('available');
  });

  test('because it has no such index, or its feature is off', async () => {
    const found = await multi([on('a'), { ...on('b'), indexUid: 'songs' }]);
    const error = found.remoteErrors?.b;
    expect(error).toMatchObject({ code: 'remote_bad_request', type: 'invalid_request' });
    expect(error?.message).toMatch(
      /^remote host responded with code 400:\n {2}- response from remote: \{"message":"Inside `.queries\[0\]`: Index `songs` not found.","code":"index_not_found".*\}\n {2}- hint: check that the remote instance has the correct index configuration for that request\n {2}- hint: check that the `network` experimental feature is enabled on the remote instance$/,
    );
    await ask(`${servers.b.url}/experimental-features`, 'PATCH', { network: false });
    expect((await errorOf('b'))?.message).toContain('feature_not_enabled');
  });
});

describe('another program that does not answer as a server should', () => {
  beforeEach(() => startNetwork('a'));

  test('because it fails, though it is asked four times', async () => {
    let asked = 0;
    const url = await impostor((request, response) => {
      asked += 1;
      answers(500, '{ "oh": "no" }')(request, response);
    });
    await join({ d: remote(url) });
    expect(await errorOf('d')).toMatchObject({
      code: 'remote_remote_error',
      message: 'remote host responded with code 500:\n  - response from remote: {"oh":"no"}',
    });
    expect(asked).toBe(4);
  });

  test.each([
    ['no JSON', 'could not parse response from the remote host as a federated search response:\n'],
    ['{}', 'could not parse response from the remote host as a federated search response:\n'],
    ['{"hits":[{"id":1}]}', 'remote hit does not contain `_federation`'],
    [
      '{"hits":[{"_federation":{"indexUid":"i","queriesPosition":1,"weightedRankingScore":1}}]}',
      'remote hit does not contain `_federation.weightedScoreValues`',
    ],
    [
      '{"hits":[{"_federation":{"indexUid":"i","queriesPosition":7,"weightedRankingScore":1,"weightedScoreValues":[]}}]}',
      'remote hit contains an unexpected `_federation.queriesPosition`: `7`',
    ],
    ['{"hits":[{"_federation":1}]}', 'remote hit contains an unexpected `_federation`: '],
  ])('because it answers %s', async (text, message) => {
    await join({ d: remote(await impostor(answers(200, text))) });
    const error = await errorOf('d');
    expect(error).toMatchObject({ code: 'remote_bad_response', type: 'system' });
    expect(error?.message).toContain(message);
  });

  test('because it answers without end', async () => {
    const url = await impostor((_request, response) => {
      const piece = Buffer.alloc(2 ** 20, ' ');
      const more = (): void => {
        while (response.write(piece)) if (response.destroyed) return;
        response.once('drain', more);
      };
      more();
    });
    await join({ d: remote(url) });
    const error = await errorOf('d');
    expect(error?.code).toBe('remote_bad_response');
    expect(error?.message).toContain('more than 67108864 bytes');
  });
});

test('a server that is too slow is not waited for', async () => {
  const slow = await impostor(() => undefined);
  const server = await startServer({
    folder: await newFolder(),
    args: ['--experimental-allowed-ip-networks', 'any'],
    env: { SVC_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS: '1' },
    masterKey: MASTER_KEY,
  });
  onTestFinished(() => server.stop('SIGKILL'));
  const { url } = server;
  await ask(`${url}/experimental-features`, 'PATCH', { network: true });
  await ask(`${url}/network`, 'PATCH', { remotes: { slow: remote(slow) } });
  const body = { federation: {}, queries: [on('slow')] };
  expect(await ask<Found>(`${url}/multi-search`, 'POST', body)).toMatchObject({
    hits: [],
    estimatedTotalHits: 0,
    remoteErrors: {
      slow: {
        code: 'remote_timeout',
        message: 'remote host did not answer before the deadline',
        type: 'system',
      },
    },
  });
});
