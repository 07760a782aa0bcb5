import { createHmac } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { EarlierKeys } from '../../src/http/earlier-keys.js';
import { fakeServices, type Received } from './fake-services.js';

const MASTER = 'masterKey';
const UID = '5e1f0c2a-7b3d-4e6f-8a9b-0c1d2e3f4001';

let app: FastifyInstance;
let received: Received;

async function start(masterKey?: string): Promise<void> {
  const fake = fakeServices();
  received = fake.received;
  const server = await createServer(fake.services, {
    payloadSizeLimit: 10_000,
    ...(masterKey === undefined ? {} : { masterKey }),
  });
  onTestFinished(() => server.close());
  app = server;
}

async function call(
  route: string,
  { key = MASTER, body, headers }: { key?: string; body?: object; headers?: object } = {},
) {
  const [method, url = ''] = route.split(' ');
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...(headers ?? { authorization: `Bearer ${key}` }) },
    ...(body === undefined ? {} : { payload: body }),
  });
  const text = response.body;
  return { status: response.statusCode, body: text === '' ? undefined : JSON.parse(text) };
}

async function newKey(body: object): Promise<string> {
  const created = await call('POST /keys', {
    body: { actions: ['*'], indexes: ['*'], expiresAt: null, ...body },
  });
  expect(created).toMatchObject({ status: 201 });
  return created.body.key;
}

const refused = (message: string) => ({
  status: 403,
  body: { code: 'invalid_api_key', message },
});
const INVALID = refused('The provided API key is invalid.');

describe('without a master key', () => {
  beforeEach(() => start());

  test.each(['GET /keys', 'POST /keys', 'GET /keys/x', 'PATCH /keys/x', 'DELETE /keys/x'])(
    '%s says so, before it looks at the request',
    async (route) => {
      const answer = await call(route, { headers: {} });
      expect(answer).toMatchObject({ status: 401, body: { code: 'missing_master_key' } });
    },
  );

  test('every other route is open', async () => {
    expect(await call('GET /stats', { headers: {} })).toMatchObject({ status: 200 });
  });
});

describe('a key', () => {
  beforeEach(() => start(MASTER));

  test('is read by its uid in any spelling and by its value', async () => {
    const key = await newKey({ uid: UID.toUpperCase() });
    const shown = await call(`GET /keys/${UID}`);
    expect(shown.body).toMatchObject({ uid: UID, key });
    expect(await call(`GET /keys/${UID.replaceAll('-', '')}`)).toEqual(shown);
    expect(await call(`GET /keys/${key}`)).toEqual(shown);
  });

  test('may be allowed to chat in both spellings, but messages name one', async () => {
    const actions = ['chatsCompletions', 'chatCompletions'];
    await newKey({ uid: UID, actions });
    expect((await call(`GET /keys/${UID}`)).body.actions).toEqual(actions);
    const wrong = { actions: ['chatsCompletions', 'chat'], indexes: ['*'], expiresAt: null };
    const { message } = (await call('POST /keys', { body: wrong })).body;
    expect(message).toMatch(/^Unknown value `chat` at `.actions\[1\]`: expected one of `\*`/);
    expect(message).not.toContain('chatsCompletions');
  });

  test('may make keys that are allowed more than itself', async () => {
    const key = await newKey({ actions: ['keys.create'] });
    const body = { actions: ['*'], indexes: ['*'], expiresAt: null };
    expect(await call('POST /keys', { key, body })).toMatchObject({ status: 201 });
  });

  test('that has ended opens nothing and is still listed', async () => {
    const key = await newKey({ uid: UID, expiresAt: new Date(Date.now() + 60).toISOString() });
    expect(await call('GET /stats', { key })).toMatchObject({ status: 200 });
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(await call('GET /stats', { key })).toMatchObject(INVALID);
    expect((await call('GET /keys')).body.results).toMatchObject([{ uid: UID }]);
  });

  test('that was deleted opens nothing', async () => {
    const key = await newKey({ uid: UID });
    expect(await call(`DELETE /keys/${UID}`)).toEqual({ status: 204, body: undefined });
    expect(await call('GET /stats', { key })).toMatchObject(INVALID);
    expect(await call(`DELETE /keys/${key}`)).toMatchObject({
      status: 404,
      body: { code: 'api_key_not_found', message: `API key \`${key}\` not found.` },
    });
  });
});

test('a key that is not there is named by its uid as uids are shown, or by what was sent', async () => {
  await start(MASTER);
  const missing = async (name: string) => (await call(`GET /keys/${name}`)).body.message;
  const shown = `API key \`${UID}\` not found.`;
  expect(await missing(UID.toUpperCase())).toBe(shown);
  expect(await missing(UID.replaceAll('-', ''))).toBe(shown);
  expect(await missing('Nothing')).toBe('API key `Nothing` not found.');
});

describe('a key for some indexes', () => {
  beforeEach(async () => {
    await start(MASTER);
    for (const uid of ['a', 'ab', 'b']) await call('POST /indexes', { body: { uid } });
  });

  test('sees these in lists, in stats and among tasks and batches', async () => {
    const key = await newKey({ indexes: ['a*'] });
    const list = await call('GET /indexes?limit=1', { key });
    expect(list.body).toMatchObject({ results: [{ uid: 'a' }], total: 2 });
    expect(Object.keys((await call('GET /stats', { key })).body.indexes)).toEqual(['a', 'ab']);
    for (const route of ['GET /tasks', 'GET /batches', 'POST /tasks/cancel?uids=*']) {
      await call(route, { key });
      expect(received.filters.at(-1)).toMatchObject({ visibleIndexes: ['a*'] });
    }
  });

  test('is told which ones it may see, each once and in order', async () => {
    const key = await newKey({ indexes: ['c', 'a', 'c'] });
    const message = 'The API key cannot acces the index `b`, authorized indexes are ["a", "c"].';
    expect(await call('GET /indexes/b', { key })).toMatchObject(refused(message));
  });

  test('cannot create, rename or swap into others', async () => {
    const key = await newKey({ indexes: ['a*'] });
    const swap = [{ indexes: ['a', 'b'] }];
    expect(await call('POST /indexes', { key, body: { uid: 'c' } })).toMatchObject(INVALID);
    expect(await call('PATCH /indexes/a', { key, body: { uid: 'c' } })).toMatchObject(INVALID);
    expect(await call('POST /swap-indexes', { key, body: swap })).toMatchObject(INVALID);
    expect(received.drafts).toHaveLength(3);
  });

  test.each(['*', '*.get'])('that holds %s is refused what is not of an index', async (action) => {
    const key = await newKey({ indexes: ['a'], actions: [action] });
    for (const route of ['GET /version', 'GET /keys', 'GET /experimental-features']) {
      expect(await call(route, { key })).toMatchObject(INVALID);
    }
    expect(await call('GET /stats', { key })).toMatchObject({ status: 200 });
  });

  test('cannot be made with an action that is not of an index', async () => {
    for (const action of ['keys.get', 'chats.*', 'webhooks.create', 'export', 'tasks.compact']) {
      const body = { actions: ['search', action], indexes: ['a'], expiresAt: null };
      expect(await call('POST /keys', { body })).toMatchObject({
        status: 400,
        body: {
          code: 'index_scoped_api_key_with_global_action',
          message: expect.stringContaining(`remove action \`"${action}"\` from the action list`),
        },
      });
    }
  });
});

test('only a key that may create indexes creates one by writing to it', async () => {
  await start(MASTER);
  const adding = await newKey({ actions: ['documents.add', 'settings.update'] });
  const creating = await newKey({ actions: ['documents.add', 'indexes.create'] });
  const body = [{ id: 1 }];
  await call('POST /indexes/a/documents', { key: adding, body });
  await call('PATCH /indexes/a/settings', { key: adding, body: { stopWords: [] } });
  await call('POST /indexes/a/documents', { key: creating, body });
  expect(received.drafts).toMatchObject([
    { mayCreateIndex: false },
    { mayCreateIndex: false },
    { mayCreateIndex: true },
  ]);
});

test('the filter of a tenant token goes into every search of the index', async () => {
  await start(MASTER);
  await call('POST /indexes', { body: { uid: 'a' } });
  const secret = await newKey({ uid: UID, actions: ['search'] });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { apiKeyUid: UID, searchRules: { a: { filter: 'who = ann' } } };
  const signed = `${part({ alg: 'HS256' })}.${part(claims)}`;
  const key = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  await call('POST /indexes/a/search', { key, body: {} });
  await call('POST /indexes/a/search', { key, body: { filter: ['pub = true'] } });
  await call('GET /indexes/a/search?filter=pub=true', { key });
  await call('POST /indexes/a/search', { key: secret, body: { filter: 'pub = true' } });
  const filters = received.searches.map((search) => (search as { filter: unknown }).filter);
  const both = ['pub = true', 'who = ann'];
  expect(filters).toEqual(['who = ann', both, ['pub=true', 'who = ann'], 'pub = true']);
  expect(await call('POST /indexes/b/search', { key, body: {} })).toMatchObject(
    refused('The provided tenant token cannot acces the index `b`, allowed indexes are ["a"].'),
  );
});

describe('in the earlier shape', () => {
  const earlier = new EarlierKeys(MASTER);
  const withKey = (key: string) => ({ headers: { 'x-svc-api-key': key } });
  beforeEach(() => start(MASTER));

  test('the master key is shown the two derived keys, and nobody else is', async () => {
    const { private: derived, public: open } = earlier;
    expect((await call('GET /keys', withKey(MASTER))).body).toEqual({
      private: derived,
      public: open,
    });
    expect(await call('GET /keys', withKey(derived))).toMatchObject(INVALID);
    expect(await call('GET /keys', withKey(open))).toMatchObject(INVALID);
    const key = await newKey({ actions: ['*'] });
    const headers = { authorization: `Bearer ${key}`, 'svc-api-shape': 'earlier' };
    expect(await call('GET /keys', { headers })).toMatchObject(INVALID);
  });

  test.each(['POST /keys', 'GET /keys/x', 'PATCH /keys/x', 'DELETE /keys/x'])(
    '%s is a wrong method',
    async (route) => {
      expect(await call(route, withKey(MASTER))).toEqual({ status: 405, body: undefined });
    },
  );
});
