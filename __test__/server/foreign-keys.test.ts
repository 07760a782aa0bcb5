import { generateTenantToken } from 'meilisearch/token';
import { expect, test } from 'vitest';
import { joined } from './network-members.js';
import { newFolder, type Server, start } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

type Hit = Record<string, unknown>;

interface Answer {
  readonly hits: Hit[];
  readonly message?: string;
  readonly code?: string;
}

const ANN = { id: 1, name: 'Ann', birth: 1940 };
const BOB = { id: 'bob', name: 'Bob', birth: 1980 };
const PEOPLE = [
  { ...ANN, owner: 'mine', secret: 'quiet' },
  { ...BOB, owner: 'other', secret: 'still' },
];
const FILMS = [
  { id: 1, title: 'Boats', actors: [1, 'bob', 77], director: 'bob' },
  { id: 2, title: 'Islands', actors: [1], director: 1 },
  { id: 3, title: 'Harbours', actors: [], director: null },
];
const KEYS = [
  { foreignIndexUid: 'people', fieldName: 'actors' },
  { foreignIndexUid: 'people', fieldName: 'director' },
];

/** A server with films and, unless told otherwise, their people. */
async function withFilms(
  { people = true }: { readonly people?: boolean } = {},
  ...args: string[]
): Promise<Server> {
  const server = await start(await newFolder(), ...args);
  await ask(`${server.url}/experimental-features`, 'PATCH', { foreignKeys: true });
  await write(server.url, 'PATCH', '/indexes/films/settings', {
    filterableAttributes: ['id', 'actors', 'director'],
    sortableAttributes: ['id'],
    foreignKeys: KEYS,
  });
  await write(server.url, 'POST', '/indexes/films/documents?primaryKey=id', FILMS);
  if (people) await addPeople(server);
  return server;
}

async function addPeople(server: Server): Promise<void> {
  await write(server.url, 'PATCH', '/indexes/people/settings', {
    filterableAttributes: ['birth', 'owner'],
    displayedAttributes: ['id', 'name', 'birth'],
  });
  await write(server.url, 'POST', '/indexes/people/documents?primaryKey=id', PEOPLE);
}

async function post(
  server: Server,
  path: string,
  body: object,
  token: string = MASTER_KEY,
): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

const search = (server: Server, request: object, token?: string): Promise<Answer> =>
  post(server, '/indexes/films/search', { sort: ['id:asc'], ...request }, token);

async function found(server: Server, filter: unknown, token?: string): Promise<unknown> {
  const { hits, message } = await search(server, { filter }, token);
  return message ?? hits.map(({ id }) => id);
}

/** The fields of films that are keys, as a search shows them. */
async function actors(server: Server, token?: string): Promise<unknown[]> {
  const { hits } = await search(server, {}, token);
  return hits.map((hit) => [hit.actors, hit.director]);
}

const RESOLVED = [
  [[ANN, BOB, 77], BOB],
  [[ANN], ANN],
  [[], null],
];
const IDS = FILMS.map((film) => [film.actors, film.director]);

test('films are found by what is true of the people whose ids they hold', async () => {
  const server = await withFilms();
  expect(await found(server, '_foreign(actors, birth > 1970)')).toEqual([1]);
  expect(await found(server, '_foreign(actors, birth < 1970)')).toEqual([1, 2]);
  expect(await found(server, 'NOT _foreign(director, birth > 1970)')).toEqual([2, 3]);
  expect(await found(server, '_foreign(actors, birth < 1970) AND director = 1')).toEqual([2]);
  expect(await found(server, [['id = 3', '_foreign(director, birth = 1980)']])).toEqual([1, 3]);
  expect(await found(server, '_foreign(actors, birth > 2000)')).toEqual([]);
});

test('hits show people in the place of their ids, also where they are formatted', async () => {
  const server = await withFilms();
  expect(await actors(server)).toEqual(RESOLVED);
  const { hits } = await search(server, { q: 'boats', attributesToHighlight: ['*'] });
  expect(hits[0]).toEqual({
    id: 1,
    title: 'Boats',
    actors: [ANN, BOB, 77],
    director: BOB,
    _formatted: {
      id: '1',
      title: '<em>Boats</em>',
      actors: [{ ...ANN, id: '1', birth: '1940' }, { ...BOB, birth: '1980' }, '77'],
      director: { ...BOB, birth: '1980' },
    },
  });
  const some = await search(server, { q: 'boats', attributesToRetrieve: ['id', 'director'] });
  expect(some.hits).toEqual([{ id: 1, director: BOB }]);
  const get = await ask<Answer>(`${server.url}/indexes/films/search?q=boats`);
  expect(get.hits[0]?.director).toEqual(BOB);
});

test('conditions that cannot be answered are refused', async () => {
  const server = await withFilms();
  const crowd = Array.from({ length: 101 }, (_, id) => ({ id: 1000 + id, birth: 1500 }));
  await write(server.url, 'POST', '/indexes/people/documents', crowd);
  expect(await found(server, '_foreign(actors, birth = 1500)')).toBe(
    'Index `films`: Foreign filter is retrieving too many documents, foreign filters can\'t retrieve more than 100 documents per index\n1:9 _foreign("actors", "birth" = "1500")',
  );
  expect(await found(server, '_foreign(actors, _foreign(director, birth = 1))')).toMatch(
    /^Index `films`: Nested foreign filters are not supported\n/,
  );
  expect(await found(server, '_foreign(id, birth = 1)')).toMatch(
    /^Index `films`: Field `id` is not a foreign key\n/,
  );
  expect(await found(server, '_foreign(title, birth = 1)')).toMatch(
    /^Index `films`: Attribute `title` is not filterable\./,
  );
  expect(await found(server, '_foreign(actors, secret = quiet)')).toMatch(
    /^Index `people`: Attribute `secret` is not filterable\./,
  );
  const people = { filter: '_foreign(birth, birth = 1)' };
  expect((await post(server, '/indexes/people/search', people)).message).toMatch(
    /^Index `people`: Index does not have foreign keys\n/,
  );
});

test('other routes than searches keep ids and do not take the condition', async () => {
  const server = await withFilms();
  const filter = '_foreign(actors, birth > 1970)';
  const unsupported = /^Filter condition `_foreign` is not supported for this endpoint\.\n1:9 /;
  const facets = { facetName: 'actors', filter };
  const vectors = FILMS.map(({ id }) => ({ id, _vectors: { plain: [id] } }));
  await write(server.url, 'PUT', '/indexes/films/documents', vectors);
  await write(server.url, 'PATCH', '/indexes/films/settings', {
    embedders: { plain: { source: 'userProvided', dimensions: 1 } },
  });
  const similar = { id: 2, embedder: 'plain' };
  const answers = [
    await post(server, '/indexes/films/facet-search', facets),
    await post(server, '/indexes/films/documents/fetch', { filter }),
    await post(server, '/indexes/films/similar', { ...similar, filter }),
  ];
  for (const { message } of answers) expect(message).toMatch(unsupported);
  const deletion = await write(server.url, 'POST', '/indexes/films/documents/delete', { filter });
  expect(deletion.error?.message.replace('Index `films`: ', '')).toMatch(unsupported);
  const near = await post(server, '/indexes/films/similar', similar);
  expect(near.hits.map(({ director }) => director).sort()).toEqual(['bob', null]);
  expect(await ask(`${server.url}/indexes/films/documents/1`)).toEqual(FILMS[0]);
});

test('without the feature ids stay and the condition asks for it', async () => {
  const server = await withFilms();
  await ask(`${server.url}/experimental-features`, 'PATCH', { foreignKeys: false });
  expect(await actors(server)).toEqual(IDS);
  const { code, message } = await search(server, { filter: '_foreign(actors, birth > 1)' });
  expect(code).toBe('feature_not_enabled');
  expect(message).toMatch(/^using a foreign filter requires enabling the `foreign_keys`/);
});

test.each([['1'], ['2']])(
  'with %s threads for HTTP a repeated search sees what became of the other index',
  async (workers) => {
    const server = await withFilms({ people: false }, '--http-workers', workers);
    const filter = '_foreign(director, birth = 1980)';
    expect(await found(server, filter)).toEqual([]);
    for (const _ of [1, 2]) expect(await actors(server)).toEqual(IDS);
    await addPeople(server);
    expect(await found(server, filter)).toEqual([1]);
    for (const _ of [1, 2]) expect(await actors(server)).toEqual(RESOLVED);
    await write(server.url, 'PUT', '/indexes/people/documents', [{ id: 1, name: 'Anna' }]);
    for (const _ of [1, 2]) {
      expect((await actors(server))[1]).toEqual([[{ ...ANN, name: 'Anna' }], expect.anything()]);
    }
    await write(server.url, 'DELETE', '/indexes/people');
    expect(await found(server, filter)).toEqual([]);
    for (const _ of [1, 2]) expect(await actors(server)).toEqual(IDS);
  },
);

/** A key that searches indexes, and its uid. */
async function searchKey(
  server: Server,
  indexes: readonly string[],
): Promise<{ apiKey: string; apiKeyUid: string }> {
  const key = await ask<{ key: string; uid: string }>(`${server.url}/keys`, 'POST', {
    actions: ['search'],
    indexes,
    expiresAt: null,
  });
  return { apiKey: key.key, apiKeyUid: key.uid };
}

test('who may not search the people learns nothing of them', async () => {
  const server = await withFilms();
  const narrow = await searchKey(server, ['films']);
  const wide = await searchKey(server, ['*']);
  const token = await generateTenantToken({ ...wide, searchRules: { films: null } });
  for (const sender of [narrow.apiKey, token]) {
    expect(await actors(server, sender)).toEqual(IDS);
    expect(await found(server, '_foreign(actors, birth > 0)', sender)).toEqual([]);
    // Not even which attributes they have.
    expect(await found(server, '_foreign(actors, secret = quiet)', sender)).toEqual([]);
  }
  expect(await actors(server, wide.apiKey)).toEqual(RESOLVED);
});

test('the rule of a tenant token on the people holds in hits and filters of films', async () => {
  const server = await withFilms();
  const wide = await searchKey(server, ['*']);
  const tokenFor = (filter: string) =>
    generateTenantToken({ ...wide, searchRules: { films: null, people: { filter } } });
  const mine = await tokenFor('owner = mine');
  const shown = [
    [[ANN, 'bob', 77], 'bob'],
    [[ANN], ANN],
    [[], null],
  ];
  expect(await actors(server, mine)).toEqual(shown);
  expect(await found(server, '_foreign(actors, birth > 0)', mine)).toEqual([1, 2]);
  expect(await found(server, '_foreign(director, birth > 0)', mine)).toEqual([2]);
  const queries = [{ indexUid: 'films', sort: ['id:asc'] }];
  const { hits } = await post(server, '/multi-search', { federation: {}, queries }, mine);
  expect(hits.map((hit) => [hit.actors, hit.director])).toEqual(shown);
  const broken = await tokenFor('nothing = mine');
  expect(await actors(server, broken)).toEqual(IDS);
});

test('the rule of a tenant token may be about the other index', async () => {
  const server = await withFilms();
  const wide = await searchKey(server, ['*']);
  const films = { filter: '_foreign(director, owner = mine)' };
  const token = await generateTenantToken({ ...wide, searchRules: { films, people: null } });
  expect(await found(server, null, token)).toEqual([2]);
});

test('several searches in one request follow the keys of each index', async () => {
  const server = await withFilms();
  await write(server.url, 'POST', '/indexes/prizes/documents?primaryKey=id', [
    { id: 9, title: 'Boats prize', winner: 'bob' },
  ]);
  await write(server.url, 'PATCH', '/indexes/prizes/settings', {
    foreignKeys: [{ foreignIndexUid: 'people', fieldName: 'winner' }],
  });
  const filter = '_foreign(director, birth = 1980)';
  const queries = [
    { indexUid: 'films', q: 'boats', filter },
    { indexUid: 'prizes', q: 'boats' },
  ];
  const separate = await ask<{ results: Answer[] }>(`${server.url}/multi-search`, 'POST', {
    queries,
  });
  expect(separate.results.map(({ hits }) => hits.map(({ id }) => id))).toEqual([[1], [9]]);
  expect(separate.results[0]?.hits[0]?.director).toEqual(BOB);
  expect(separate.results[1]?.hits[0]?.winner).toEqual(BOB);
  const together = await post(server, '/multi-search', { federation: {}, queries });
  const byId = new Map(together.hits.map((hit) => [hit.id, hit]));
  expect([...byId.keys()].sort()).toEqual([1, 9]);
  expect(byId.get(1)?.actors).toEqual([ANN, BOB, 77]);
  expect(byId.get(9)?.winner).toEqual(BOB);
  const refused = await post(server, '/multi-search', {
    federation: {},
    queries: [queries[1], { indexUid: 'films', filter: '_foreign(id, birth = 1)' }],
  });
  expect(refused.message).toMatch(
    /^Inside `\.queries\[1\]`: Index `films`: Field `id` is not a foreign key\n/,
  );
});

test('what several servers find together keeps its ids, and does not take the condition', async () => {
  const anywhere = ['--experimental-allowed-ip-networks', 'any'];
  const [here, there] = [await withFilms({}, ...anywhere), await withFilms({}, ...anywhere)];
  for (const { url } of [here, there]) {
    await ask(`${url}/experimental-features`, 'PATCH', { network: true });
  }
  await joined({ here, there });
  const useNetwork = true;
  const { hits } = await search(here, { useNetwork });
  expect(hits.map(({ director }) => director)).toEqual(['bob', 'bob', 1, 1, null, null]);
  const { message } = await search(here, { useNetwork, filter: '_foreign(actors, birth > 0)' });
  expect(message).toMatch(/^Filter condition `_foreign` is not supported for this endpoint\./);
  expect(await actors(here)).toEqual(RESOLVED);
});
