import { expect, test } from 'vitest';
import { newFolder, type Server, start } from './servers.js';
import { ask, MASTER_KEY, type ShownTask, write } from './talk.js';

/** An answer, whatever its status. */
interface Answer {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly message?: string;
    readonly hits?: { readonly id: number }[];
  };
}

const INDEX = '/indexes/odd';

async function send(server: Server, path: string, body: string | Uint8Array): Promise<Answer> {
  const headers = { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const search = (server: Server, request: object): Promise<Answer> =>
  send(server, `${INDEX}/search`, JSON.stringify(request));

const ids = ({ body }: Answer): number[] | undefined => body.hits?.map(({ id }) => id);

/** A server with two documents in an index. */
async function withTwo(): Promise<Server> {
  const server = await start(await newFolder());
  await write(server.url, 'PATCH', `${INDEX}/settings`, {
    filterableAttributes: ['a'],
    sortableAttributes: ['a'],
  });
  await write(server.url, 'POST', `${INDEX}/documents`, [
    { id: 1, a: 'one' },
    { id: 2, a: 'two' },
  ]);
  return server;
}

/** The server still works, and finds the documents it has. */
async function expectSound(server: Server): Promise<void> {
  expect(ids(await search(server, { q: 'one' }))).toContain(1);
}

test('long filters are answered, deep ones are refused', async () => {
  const server = await withTwo();
  const long = [
    Array(6000).fill('a = one').join(' OR '),
    Array(6000).fill('a = one').join(' AND '),
    `a IN [${Array(20_000).fill('one').join(',')}]`,
    Array(5000).fill(['a = one', 'a = three']),
  ];
  for (const filter of long) expect(ids(await search(server, { filter }))).toEqual([1]);
  expect(ids(await search(server, { filter: `a = ${'x'.repeat(100_000)}` }))).toEqual([]);
  const deep = [
    `${'('.repeat(10_000)}a = one${')'.repeat(10_000)}`,
    '('.repeat(10_000),
    `${'NOT '.repeat(10_000)}a = one`,
  ];
  for (const filter of deep) {
    const { status, body } = await search(server, { filter });
    expect([status, body.code]).toEqual([400, 'invalid_search_filter']);
    expect(body.message).toMatch(/^The filter exceeded the maximum depth limit\./);
  }
  await expectSound(server);
});

test('a query of a megabyte is answered by its first ten words', async () => {
  const server = await withTwo();
  const size = 1 << 20;
  const found: [string, number[]][] = [
    ['one '.repeat(size / 4), [1]],
    ['x'.repeat(size), []],
    ['"'.repeat(size), [1, 2]],
    ['-one '.repeat(size / 5), [2]],
    ['東京'.repeat(size / 6), []],
  ];
  for (const [q, expected] of found) expect(ids(await search(server, { q }))).toEqual(expected);
  await expectSound(server);
}, 60_000);

test('bodies nested without end are malformed', async () => {
  const server = await withTwo();
  for (const depth of [200, 3000, 100_000]) {
    const body = `{"filter":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const answer = await send(server, `${INDEX}/search`, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_payload']);
    expect(answer.body.message).toContain('recursion limit exceeded at line 1 column 137');
  }
  await expectSound(server);
});

test('halves of characters and bytes that are no text are malformed, NUL is text', async () => {
  const server = await withTwo();
  const bytes = new Uint8Array([0x5b, 0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
  const malformed: [string, string | Uint8Array][] = [
    ['search', '{"q":"\\ud800one"}'],
    ['search', '{"filter":"a = \\"\\udc00\\""}'],
    ['documents', '[{"id":3,"a":"x\\ud800y"}]'],
    ['documents', '[{"id":3,"a\\udc00":"x"}]'],
    ['documents', bytes],
  ];
  for (const [path, body] of malformed) {
    const answer = await send(server, `${INDEX}/${path}`, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_payload']);
  }
  expect(ids(await search(server, { q: 'one\0two' }))).toEqual([1]);
  expect(ids(await search(server, { filter: 'a = "\0"' }))).toEqual([]);
  const odd = { id: 3, 'a\0': 'x\0y' };
  expect((await write(server.url, 'POST', `${INDEX}/documents`, [odd])).status).toBe('succeeded');
  expect(await ask(`${server.url}${INDEX}/documents/3`)).toEqual(odd);
  await expectSound(server);
});

test('numbers beyond what is counted are clamped or refused', async () => {
  const server = await withTwo();
  for (const number of ['9007199254740993', '18446744073709551616', '1e30']) {
    const limit = await send(server, `${INDEX}/search`, `{"limit":${number}}`);
    expect([200, 400]).toContain(limit.status);
    const offset = await send(server, `${INDEX}/search`, `{"offset":${number},"hitsPerPage":1}`);
    expect([200, 400]).toContain(offset.status);
  }
  const most = Number.MAX_SAFE_INTEGER;
  expect(ids(await search(server, { page: most, hitsPerPage: most }))).toEqual([]);
  const cropped = { q: 'one', attributesToCrop: ['a'], cropLength: most };
  expect(ids(await search(server, cropped))).toEqual([1]);
  const tooLarge = await send(server, `${INDEX}/documents`, '[{"id":3,"a":1e999}]');
  expect([tooLarge.status, tooLarge.body.code]).toEqual([400, 'malformed_payload']);
  const large = '[{"id":3,"a":1e308,"b":123456789012345678901234567890,"c":1e-400}]';
  expect((await send(server, `${INDEX}/documents`, large)).status).toBe(202);
  await write(server.url, 'POST', `${INDEX}/documents`, [{ id: 4, a: -1e308 }]);
  const sorted = await search(server, { sort: ['a:desc'], filter: 'a > 0 OR a < 0' });
  expect(ids(sorted)?.slice(0, 2)).toEqual([3, 4]);
  await expectSound(server);
});

test('documents nested a hundred deep are indexed, deeper ones refused', async () => {
  const server = await withTwo();
  const nested = (depth: number) => [
    `[{"id":3,"a":${'{"a":'.repeat(depth)}"deep"${'}'.repeat(depth)}}]`,
    `[{"id":4,"a":${'['.repeat(depth)}"deep"${']'.repeat(depth)}}]`,
  ];
  for (const document of nested(100)) {
    await write(server.url, 'POST', `${INDEX}/documents`, JSON.parse(document));
  }
  const everything = { attributesToHighlight: ['*'], attributesToCrop: ['*'] };
  const request = { q: 'deep', showMatchesPosition: true, ...everything };
  expect(ids(await search(server, request))?.sort()).toEqual([3, 4]);
  for (const depth of [1000, 100_000]) {
    for (const document of nested(depth)) {
      const { status, body } = await send(server, `${INDEX}/documents`, document);
      expect([status, body.code]).toEqual([400, 'malformed_payload']);
    }
  }
  await expectSound(server);
});

test('documents may have ten thousand attributes, not more than can be numbered', async () => {
  const server = await withTwo();
  const wide = (id: number, n: number) => ({
    id,
    ...Object.fromEntries(Array.from({ length: n }, (_, at) => [`k${at}`, at])),
  });
  const add = (document: object): Promise<ShownTask> =>
    write(server.url, 'POST', `${INDEX}/documents`, [document]);
  expect((await add(wide(3, 10_000))).status).toBe('succeeded');
  expect(ids(await search(server, { q: '9999' }))).toEqual([3]);
  const refused = await add(wide(4, 65_536));
  expect([refused.status, refused.error?.code]).toEqual(['failed', 'max_fields_limit_exceeded']);
  expect((await add({ id: 5, k1: 'another' })).status).toBe('succeeded');
  await expectSound(server);
}, 60_000);

test('names with dots, and without a character, are names', async () => {
  const server = await withTwo();
  const odd = {
    id: 3,
    '': 'empty',
    '.': 'dot',
    '..': 'dots',
    'a.b': 'path',
    'a.': 'end',
    '.a': 'x',
  };
  await write(server.url, 'POST', `${INDEX}/documents`, [odd]);
  const names = ['', '.', 'a.', 'a', '..'];
  const path = `${INDEX}/settings/filterable-attributes`;
  expect((await write(server.url, 'PUT', path, names)).status).toBe('succeeded');
  expect(await ask(`${server.url}${INDEX}/documents/3`)).toEqual(odd);
  expect(ids(await search(server, { filter: '"" = empty' }))).toEqual([3]);
  expect(ids(await search(server, { filter: '"." = dot AND "a." = end' }))).toEqual([3]);
  expect(ids(await search(server, { filter: 'a.b = path' }))).toEqual([3]);
  await expectSound(server);
});

test('a hundred thousand values of a facet are counted', async () => {
  const server = await withTwo();
  const n = 100_000;
  const documents = Array.from({ length: n }, (_, at) => ({ id: at + 10, a: `v${at}` }));
  await write(server.url, 'POST', `${INDEX}/documents`, documents);
  await write(server.url, 'PATCH', `${INDEX}/settings/faceting`, { maxValuesPerFacet: 2 * n });
  const request = { facets: ['a'], limit: 0 };
  const { body } = await search(server, request);
  const { facetDistribution } = body as { facetDistribution: { a: object } };
  expect(Object.keys(facetDistribution.a)).toHaveLength(n + 2);
  await expectSound(server);
}, 60_000);

test('lists of many names are read', async () => {
  const server = await withTwo();
  const many = (n: number, name: string) => Array(n).fill(name);
  const requests = [
    { sort: many(10_000, 'a:asc') },
    { facets: many(10_000, 'a') },
    { attributesToSearchOn: many(10_000, 'a'), q: 'one' },
    { q: 'one', attributesToHighlight: [`a${'.a'.repeat(10_000)}`] },
    { attributesToRetrieve: Array.from({ length: 100_000 }, (_, at) => `n${at}`) },
  ];
  for (const request of requests) expect((await search(server, request)).status).toBe(200);
  await expectSound(server);
});
