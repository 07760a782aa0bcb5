import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { Serval } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';
import { answers, embeddingServer, vectorOf } from './embedding-server.js';

const MOVIES = [
  { id: 1, title: 'aaaa' },
  { id: 2, title: 'eeee' },
  { id: 3, title: 'iiii' },
];

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A server on a real data folder, whose embedders may call this machine. */
async function server(cacheEntries = 0) {
  const db = await Serval.open(dataFolder(), { embedders: { cacheEntries } });
  const app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6 });
  onTestFinished(async () => {
    await app.close();
    await db.close();
  });
  const call = async (method: Method, url: string, payload?: object) => {
    const response = await app.inject({
      method,
      url,
      ...(payload === undefined ? {} : { payload }),
    });
    return { status: response.statusCode, body: response.json() };
  };
  const write = async (method: Method, url: string, payload?: object) => {
    const { body } = await call(method, url, payload);
    return db.tasks.waitFor(body.taskUid);
  };
  return { call, write };
}

const ollama = (url: string, more: object = {}) => ({
  embedders: {
    local: {
      source: 'ollama',
      model: 'm',
      url: `${url}/api/embed`,
      documentTemplate: '{{doc.title}}',
      ...more,
    },
  },
});

async function indexed(cacheEntries = 0) {
  const provider = await embeddingServer();
  const { call, write } = await server(cacheEntries);
  const settings = await write('PATCH', '/indexes/m/settings', ollama(provider.url));
  expect(settings).toMatchObject({ status: 'succeeded', error: null });
  const added = await write('POST', '/indexes/m/documents', MOVIES);
  expect(added).toMatchObject({ status: 'succeeded', error: null });
  return { provider, call, write };
}

test('documents are embedded as they come, and found by the meaning of a query', async () => {
  const { provider, call } = await indexed();
  expect(provider.asked.map(({ body }) => body.input)).toEqual([['aaaa', 'eeee', 'iiii']]);
  const stored = await call('GET', '/indexes/m/documents?retrieveVectors=true');
  expect(stored.body.results[1]._vectors.local).toEqual({
    embeddings: [vectorOf('eeee')],
    regenerate: true,
  });
  const hybrid = { embedder: 'local', semanticRatio: 1 };
  const { body } = await call('POST', '/indexes/m/search', {
    q: 'ee',
    hybrid,
    retrieveVectors: true,
  });
  expect(body.hits[0].id).toBe(2);
  expect(body.queryVector).toEqual(vectorOf('ee'));
  expect(body.semanticHitCount).toBe(3);
});

test('only documents whose text changed are embedded again', async () => {
  const { provider, write } = await indexed();
  const changes = [
    { id: 1, title: 'aaaa', year: 1979 },
    { id: 2, title: 'oooo' },
  ];
  await write('POST', '/indexes/m/documents', changes);
  expect(provider.asked.slice(1).map(({ body }) => body.input)).toEqual([['oooo']]);
});

test('documents that cannot be embedded fail, and leave the index as it was', async () => {
  const { provider, call, write } = await indexed();
  provider.faults.push(answers(400, 'no'));
  const task = await write('POST', '/indexes/m/documents', [{ id: 4, title: 'new' }]);
  expect(task.status).toBe('failed');
  expect(task.error).toMatchObject({ code: 'vector_embedding_error' });
  expect(task.error?.message).toBe(
    'Index `m`: While embedding documents for embedder `local`: user error: sent a bad request to embedding server\n  - server replied with `no`',
  );
  const { body } = await call('GET', '/indexes/m/documents');
  expect(body.total).toBe(3);
});

test('a template that misses a value in a document fails its task', async () => {
  const { write } = await indexed();
  const task = await write('POST', '/indexes/m/documents', [{ id: 'x-1' }]);
  expect(task.status).toBe('failed');
  expect(task.error?.message).toContain('missing field in document `x-1`: liquid: ');
});

test('a query that cannot be embedded is searched by its words, or refused when only vectors count', async () => {
  const { provider, call } = await indexed();
  provider.faults.push(answers(400, 'no'), answers(400, 'no'));
  const search = (semanticRatio: number) =>
    call('POST', '/indexes/m/search', { q: 'aaaa', hybrid: { embedder: 'local', semanticRatio } });
  expect((await search(0.5)).body).toMatchObject({ hits: [{ id: 1 }], semanticHitCount: 0 });
  const refused = await search(1);
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({
    code: 'vector_embedding_error',
    message:
      'Error while generating embeddings: user error: sent a bad request to embedding server\n  - server replied with `no`',
  });
});

test('a query is embedded within the time that the index gives a search', async () => {
  const { provider, call, write } = await indexed();
  await write('PATCH', '/indexes/m/settings', { searchCutoffMs: 50 });
  provider.faults.push(() => undefined);
  const hybrid = { embedder: 'local', semanticRatio: 1 };
  const { body } = await call('POST', '/indexes/m/search', { q: 'a', hybrid });
  expect(body.message).toContain('the time for embedding is over');
});

test('the vectors of queries are remembered where that is asked for', async () => {
  const { provider, call } = await indexed(1);
  const hybrid = { embedder: 'local', semanticRatio: 1 };
  const before = provider.asked.length;
  for (const q of ['a', 'a', 'e', 'a']) await call('POST', '/indexes/m/search', { q, hybrid });
  expect(provider.asked.length - before).toBe(3);
});

test('keys of embedders are stored, used and never shown', async () => {
  const { provider, call, write } = await indexed();
  await write(
    'PATCH',
    '/indexes/m/settings',
    ollama(provider.url, { apiKey: 'a-very-secret-key-1' }),
  );
  await write('POST', '/indexes/m/documents', [{ id: 9, title: 'u' }]);
  expect(provider.asked.at(-1)?.headers.authorization).toBe('Bearer a-very-secret-key-1');
  const { body } = await call('GET', '/indexes/m/settings/embedders');
  expect(body.local.apiKey).toBe('a-XXXX...');
});

test('an index that is deleted while searches wait for a vector is not found', async () => {
  const { provider, call, write } = await indexed();
  await write('PATCH', '/indexes/m/settings', { searchCutoffMs: 60_000 });
  const waiting: ServerResponse[] = [];
  provider.faults.push(
    (response) => waiting.push(response),
    (response) => waiting.push(response),
  );
  const search = { q: 'a', hybrid: { embedder: 'local', semanticRatio: 1 } };
  const federated = { federation: {}, queries: [{ indexUid: 'm', ...search }] };
  const alone = call('POST', '/indexes/m/search', search);
  const together = call('POST', '/multi-search', federated);
  await expect.poll(() => waiting.length).toBe(2);
  await write('DELETE', '/indexes/m');
  for (const response of waiting) response.end(JSON.stringify({ embeddings: [vectorOf('a')] }));
  expect(await alone).toMatchObject({ status: 404, body: { code: 'index_not_found' } });
  expect(await together).toMatchObject({ status: 400, body: { code: 'index_not_found' } });
});
