import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { fakeServices, type Received } from './fake-services.js';

const LIMIT = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

let app: FastifyInstance;
let received: Received;
beforeEach(async () => {
  const fake = fakeServices();
  received = fake.received;
  app = await createServer(fake.services, { payloadSizeLimit: LIMIT });
});
afterEach(() => app.close());

async function createIndex(uid: string): Promise<void> {
  const response = await app.inject({ method: 'POST', url: '/indexes', payload: { uid } });
  expect(response.statusCode).toBe(202);
}

describe('paths', () => {
  test.each([
    ['GET', '/nowhere', 404],
    ['GET', '/HEALTH', 404],
    ['POST', '/health', 405],
    ['GET', '/tasks/cancel', 405],
    ['GET', '/indexes/a/documents/fetch', 405],
    ['PUT', '/indexes/a/search', 405],
  ])('%s %s answers %d without a body', async (method, url, status) => {
    const response = await app.inject({ method: method as 'GET', url });
    expect(response.statusCode).toBe(status);
    expect(response.body).toBe('');
    expect(response.headers['content-type']).toBeUndefined();
  });

  test.each(['/health', '/health/', '//health', '/health?x=1'])('%s is the same', async (url) => {
    const response = await app.inject({ method: 'GET', url });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.body).toBe('{"status":"available"}');
  });
});

test.each([
  ['/indexes/%zz', '%zz'],
  ['/indexes/%F0%9F?x=%zz', '\uFFFD'],
  ['/indexes/a%2Fb%', 'a/b%'],
  ['/indexes/%C3%A9%FF', '\u00E9\uFFFD'],
])('of the path %s the name that cannot exist is refused as what it is', async (url, name) => {
  const response = await app.inject({ method: 'GET', url });
  expect(response.statusCode).toBe(400);
  const { code, message } = response.json() as { code: string; message: string };
  expect(code).toBe('invalid_index_uid');
  expect(message).toContain(`\`${name}\` is not a valid index uid.`);
});

test('pages of any origin may call every route, and ask so before they have a key', async () => {
  const response = await app.inject({
    method: 'OPTIONS',
    url: '/indexes/a/search',
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
  expect(response.statusCode).toBe(204);
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'authorization,content-type',
    'access-control-max-age': '86400',
  });
  expect(response.headers['access-control-allow-methods']).toContain('PATCH');
});

describe('bodies', () => {
  test('over the limit are refused, compressed ones by their size after decompression', async () => {
    const large = Buffer.from(JSON.stringify({ q: 'a'.repeat(LIMIT) }));
    for (const [payload, encoding] of [
      [large, undefined],
      [gzipSync(large), 'gzip'],
    ] as const) {
      const response = await app.inject({
        method: 'POST',
        url: '/indexes/a/search',
        headers: {
          ...JSON_TYPE,
          ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
        },
        payload,
      });
      expect(response.statusCode).toBe(413);
      expect(response.json()).toMatchObject({
        code: 'payload_too_large',
        message:
          'The provided payload reached the size limit. The maximum accepted payload size is 1 MiB.',
      });
    }
  });

  test('that break off inside their compression are incomplete', async () => {
    const whole = gzipSync(Buffer.from('[{"id":1}]'));
    const response = await app.inject({
      method: 'POST',
      url: '/indexes/a/documents',
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      payload: whole.subarray(0, whole.length - 6),
    });
    expect(response.json()).toMatchObject({
      code: 'bad_request',
      message: 'The provided payload is incomplete and cannot be parsed',
    });
  });

  test('of an unknown compression are refused', async () => {
    const response = await app.inject({
      method: 'POST',
      url: '/indexes/a/documents',
      headers: { ...JSON_TYPE, 'content-encoding': 'rot13' },
      payload: '[]',
    });
    expect(response.statusCode).toBe(415);
  });
});

describe('documents', () => {
  const send = (payload: Buffer, headers: Record<string, string> = JSON_TYPE) =>
    app.inject({
      method: 'POST',
      url: '/indexes/movies/documents?primaryKey=id',
      headers,
      payload,
    });

  test('that are few stay in memory', async () => {
    const response = await send(Buffer.from('[{"id":1}]'));
    expect(response.statusCode).toBe(202);
    expect(response.json()).toMatchObject({ type: 'documentAdditionOrUpdate', indexUid: 'movies' });
    expect(received.payloads).toEqual([{ bytes: 10, from: 'memory', format: { format: 'json' } }]);
    expect(received.drafts[0]).toMatchObject({
      method: 'replace',
      primaryKey: 'id',
      skipCreation: false,
      mayCreateIndex: true,
    });
  });

  test('that are many go through a file, as many bytes as were sent', async () => {
    const many = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id }))));
    await send(many);
    expect(received.payloads).toEqual([
      { bytes: many.length, from: 'file', format: { format: 'json' } },
    ]);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('are taken compressed with %s', async (encoding, compress) => {
    const plain = Buffer.from('[{"id":1},{"id":2}]');
    await send(compress(plain), { ...JSON_TYPE, 'content-encoding': encoding });
    expect(received.payloads).toMatchObject([{ bytes: plain.length }]);
  });

  test('are taken whatever the letter case of their type', async () => {
    await send(Buffer.from('{"id":1}'), { 'content-type': 'Application/X-NDJSON; charset=utf-8' });
    expect(received.payloads).toMatchObject([{ format: { format: 'ndjson' } }]);
  });

  test('are taken as CSV with a delimiter', async () => {
    await app.inject({
      method: 'PUT',
      url: '/indexes/movies/documents?csvDelimiter=%7C&skipCreation=TRUE&customMetadata=mine',
      headers: { 'content-type': 'text/csv; charset=utf-8' },
      payload: 'id|a\n1|b',
    });
    expect(received.payloads).toMatchObject([{ format: { format: 'csv', delimiter: '|' } }]);
    expect(received.drafts[0]).toMatchObject({
      method: 'update',
      skipCreation: true,
      customMetadata: 'mine',
    });
  });

  test('are read with the same request by query string and by body', async () => {
    await createIndex('movies');
    await app.inject('/indexes/movies/documents?limit=3&fields=a,b&ids=1,x&filter=a%20%3D%201');
    await app.inject({
      method: 'POST',
      url: '/indexes/movies/documents/fetch',
      payload: { limit: 3, fields: ['a', 'b'], ids: [1, 'x'], filter: 'a = 1', sort: null },
    });
    const request = { offset: 0, limit: 3, fields: ['a', 'b'], ids: ['1', 'x'], filter: 'a = 1' };
    expect(received.documentRequests).toEqual([request, request]);
  });

  test('are chosen by integers to their last digit, and by no fraction', async () => {
    await createIndex('movies');
    const fetched = (ids: string) =>
      app.inject({
        method: 'POST',
        url: '/indexes/movies/documents/fetch',
        headers: { 'content-type': 'application/json' },
        payload: `{"ids":${ids}}`,
      });
    await fetched('[1234567890123456789,-9007199254740993]');
    expect(received.documentRequests.at(-1)).toMatchObject({
      ids: ['1234567890123456789', '-9007199254740993'],
    });
    expect((await fetched('[7,1.0]')).json()).toMatchObject({
      message: expect.stringMatching(/^In `.ids\[1\]`: Document identifier `1.0` is invalid\./),
      code: 'invalid_document_ids',
    });
  });

  test('are read one by one, or not found', async () => {
    await createIndex('movies');
    expect((await app.inject('/indexes/movies/documents/known')).body).toBe('{"id":"known"}');
    expect((await app.inject('/indexes/movies/documents/other')).json()).toMatchObject({
      code: 'document_not_found',
      message: 'Document `other` not found.',
    });
  });

  test.each([
    ['DELETE', '/indexes/m/documents', undefined, 'all'],
    ['DELETE', '/indexes/m/documents/a%20b', undefined, { ids: ['a b'] }],
    [
      'POST',
      '/indexes/m/documents/delete-batch',
      [1, 'b', { c: 2 }],
      { ids: ['1', 'b', '{"c":2}'] },
    ],
    ['POST', '/indexes/m/documents/delete', { filter: ['a = 1'] }, { filter: ['a = 1'] }],
  ])('%s %s deletes', async (method, url, payload, selection) => {
    const response = await app.inject({
      method: method as 'POST',
      url,
      ...(payload === undefined ? {} : { payload }),
    });
    expect(response.statusCode).toBe(202);
    expect(received.drafts).toEqual([{ type: 'documentDeletion', indexUid: 'm', selection }]);
  });
});

describe('searches', () => {
  test('give back the bytes of the engine', async () => {
    await createIndex('movies');
    const response = await app.inject({
      method: 'POST',
      url: '/indexes/movies/search',
      payload: { q: 'star', limit: 2, sort: null, highlightPreTag: null },
    });
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.body).toBe('{"hits":[],"query":""}');
    expect(received.searches).toEqual([{ q: 'star', limit: 2, highlightPreTag: '' }]);
  });

  test('by query string ask the engine the same as by body', async () => {
    await createIndex('movies');
    await app.inject(
      '/indexes/movies/search?q=star&facets=a,b&hybridEmbedder=e&hybridSemanticRatio=0.5&vector=1,-2.5',
    );
    expect(received.searches).toEqual([
      {
        q: 'star',
        facets: ['a', 'b'],
        vector: [1, -2.5],
        hybrid: { embedder: 'e', semanticRatio: 0.5 },
      },
    ]);
  });

  test('of an absent index are refused after their body was checked', async () => {
    const search = (payload: object) =>
      app.inject({ method: 'POST', url: '/indexes/none/search', payload });
    expect((await search({ limit: 'x' })).json()).toMatchObject({ code: 'invalid_search_limit' });
    expect((await search({})).json()).toMatchObject({ code: 'index_not_found' });
  });
});

describe('settings', () => {
  test('are enqueued in the order of the wire, sets sorted and rules under current names', async () => {
    const response = await app.inject({
      method: 'PATCH',
      url: '/indexes/movies/settings',
      payload: {
        stopWords: ['b', 'a', 'b'],
        rankingRules: ['wordsPosition', 'desc(price)'],
        displayedAttributes: null,
        filterableAttributes: ['a', { attributePatterns: ['b'] }],
      },
    });
    expect(response.statusCode).toBe(202);
    const [draft] = received.drafts;
    expect(JSON.stringify(draft !== undefined && 'settings' in draft && draft.settings)).toBe(
      JSON.stringify({
        displayedAttributes: ['*'],
        filterableAttributes: [
          'a',
          {
            attributePatterns: ['b'],
            features: { facetSearch: false, filter: { equality: true, comparison: false } },
          },
        ],
        rankingRules: ['wordPosition', 'price:desc'],
        stopWords: ['a', 'b'],
      }),
    );
  });

  test('show the keys of embedders masked only', async () => {
    const embedder = { source: 'openAi', apiKey: 'sk-0123456789' };
    await app.inject({
      method: 'PATCH',
      url: '/indexes/movies/settings/embedders',
      payload: { main: embedder },
    });
    expect(received.drafts).toMatchObject([
      {
        settings: { embedders: { main: embedder } },
        shownSettings: { embedders: { main: { source: 'openAi', apiKey: 'skXXXX...' } } },
      },
    ]);
  });

  test('are set, reset and read one by one', async () => {
    await createIndex('movies');
    const url = '/indexes/movies/settings/stop-words';
    expect((await app.inject({ method: 'GET', url })).body).toBe('["the"]');
    await app.inject({ method: 'PUT', url, payload: ['x'] });
    await app.inject({ method: 'PUT', url, headers: JSON_TYPE, payload: 'null' });
    await app.inject({ method: 'DELETE', url });
    expect(received.drafts.slice(1)).toMatchObject([
      { settings: { stopWords: ['x'] }, mayCreateIndex: true },
      { settings: { stopWords: null }, mayCreateIndex: true },
      { settings: { stopWords: null }, mayCreateIndex: false },
    ]);
  });

  test('that are absent read as null', async () => {
    await createIndex('movies');
    const response = await app.inject('/indexes/movies/settings/search-cutoff-ms');
    expect(response.body).toBe('null');
  });

  test('all reset name every setting', async () => {
    await app.inject({ method: 'DELETE', url: '/indexes/movies/settings' });
    const [draft] = received.drafts;
    expect(draft).toMatchObject({ settings: { searchableAttributes: ['*'], chat: null } });
  });
});

test('sizes are bytes, or text for people', async () => {
  await createIndex('movies');
  expect((await app.inject('/indexes/movies/stats')).body).toBe(
    '{"numberOfDocuments":2,"indexSize":4096,"usedIndexSize":4096,"rawDocumentDbSize":1536,"avgDocumentSize":768,"isIndexing":false,"numberOfEmbeddings":0,"numberOfEmbeddedDocuments":0,"fieldDistribution":{"id":2,"title":2},"fieldsDistribution":{"id":2,"title":2}}',
  );
  expect((await app.inject('/stats?sizeFormat=human')).json()).toMatchObject({
    databaseSize: '2.00 KiB',
    indexes: { movies: { avgDocumentSize: '768 B' } },
  });
});

test('tasks are canceled by a filter, which is kept as it was sent', async () => {
  const response = await app.inject({ method: 'POST', url: '/tasks/cancel?uids=1,2&statuses=*' });
  expect(response.statusCode).toBe(200);
  expect(received.filters).toEqual([{ uids: [1, 2] }]);
});

test('features are switched one by one and shown all', async () => {
  const response = await app.inject({
    method: 'PATCH',
    url: '/experimental-features',
    payload: { metrics: true, network: null },
  });
  const features = response.json() as Record<string, boolean>;
  expect(Object.entries(features).filter(([, on]) => on)).toEqual([['metrics', true]]);
  expect(Object.keys(features)).toHaveLength(15);
});
