import { describe, expect, test } from 'vitest';
import { shapeOf } from '../../src/http/api-shape.js';
import { createServer } from '../../src/http/create-server.js';
import { EarlierKeys } from '../../src/http/earlier-keys.js';
import { updateView } from '../../src/http/update-view.js';
import type { Task } from '../../src/tasks/task.js';
import { fakeServices } from './fake-services.js';

const MASTER = 'a master key of the server';
const keys = new EarlierKeys(MASTER);

async function server(options: { masterKey?: string } = {}) {
  const { services, received } = fakeServices();
  const app = await createServer(services, { payloadSizeLimit: 1000, ...options });
  return { app, received };
}

describe('a request', () => {
  test.each([
    [{}, 'current', 'current'],
    [{}, 'earlier', 'earlier'],
    [{ 'x-svc-api-key': 'k' }, 'current', 'earlier'],
    [{ 'x-meili-api-key': 'k' }, 'current', 'earlier'],
    [{ 'x-svc-api-key': 'k', authorization: 'Bearer k' }, 'current', 'current'],
    [{ 'x-svc-api-key': 'k', 'svc-api-shape': 'current' }, 'current', 'earlier'],
    [
      { 'x-svc-api-key': 'k', authorization: 'b', 'svc-api-shape': 'earlier' },
      'earlier',
      'current',
    ],
    [{ authorization: 'b', 'svc-api-shape': 'earlier' }, 'current', 'earlier'],
    [{ 'svc-api-shape': 'earlier' }, 'current', 'earlier'],
    [{ 'svc-api-shape': 'current' }, 'earlier', 'current'],
    [{ authorization: 'Bearer k' }, 'earlier', 'current'],
  ] as const)(
    'with %j on a server of the %s shape speaks the %s one',
    (headers, fallback, shape) => {
      expect(shapeOf(headers, fallback)).toBe(shape);
    },
  );
});

describe('keys of the earlier shape', () => {
  const statusOf = async (method: string, url: string, headers: Record<string, string>) => {
    const { app } = await server({ masterKey: MASTER });
    const response = await app.inject({ method: method as 'GET', url, headers });
    return response.statusCode;
  };

  test('open what they are for', async () => {
    expect(await statusOf('GET', '/stats', { 'x-svc-api-key': MASTER })).toBe(200);
    expect(await statusOf('GET', '/stats', { 'x-svc-api-key': keys.private })).toBe(200);
    expect(await statusOf('GET', '/stats', { 'x-svc-api-key': keys.public })).toBe(403);
    expect(await statusOf('GET', '/indexes/a/search', { 'x-svc-api-key': keys.public })).toBe(404);
    expect(await statusOf('GET', '/health', {})).toBe(200);
  });

  test('are no bearer tokens', async () => {
    expect(await statusOf('GET', '/stats', { authorization: `Bearer ${keys.private}` })).toBe(403);
  });

  test('that are missing or wrong are both forbidden', async () => {
    expect(await statusOf('GET', '/stats', { 'svc-api-shape': 'earlier' })).toBe(403);
    expect(await statusOf('GET', '/stats', { 'x-svc-api-key': 'wrong' })).toBe(403);
    expect(await statusOf('GET', '/stats', {})).toBe(401);
  });
});

const EARLIER = { 'svc-api-shape': 'earlier' };

test('settings changes are acknowledged by the number of an update', async () => {
  const { app, received } = await server();
  const url = '/indexes/a/settings';
  const posted = await app.inject({ method: 'POST', url, payload: { rankingRules: ['asc(x)'] } });
  expect([posted.statusCode, posted.json()]).toEqual([202, { updateId: 1 }]);
  const reset = await app.inject({ method: 'DELETE', url, headers: EARLIER });
  expect([reset.statusCode, reset.json()]).toEqual([202, { updateId: 2 }]);
  expect(reset.headers['svc-api-shape']).toBe('earlier');
  expect(received.drafts[0]).toMatchObject({ settings: { rankingRules: ['x:asc'] } });
});

test('settings are the eight of the earlier shape', async () => {
  const { app } = await server();
  await app.inject({ method: 'POST', url: '/indexes', payload: { uid: 'a' } });
  const response = await app.inject({ url: '/indexes/a/settings', headers: EARLIER });
  expect(Object.keys(response.json())).toEqual([
    'synonyms',
    'stopWords',
    'rankingRules',
    'filterableAttributes',
    'distinctAttribute',
    'searchableAttributes',
    'displayedAttributes',
    'sortableAttributes',
  ]);
  const unknown = await app.inject({
    method: 'POST',
    url: '/indexes/a/settings',
    payload: { pagination: {} },
  });
  expect(unknown.json()).toMatchObject({ code: 'bad_request' });
});

test('stats name the distribution of fields in one way only', async () => {
  const { app } = await server();
  await app.inject({ method: 'POST', url: '/indexes', payload: { uid: 'a' } });
  const stats = (await app.inject({ url: '/indexes/a/stats', headers: EARLIER })).json();
  expect(stats).toHaveProperty('fieldsDistribution');
  expect(stats).not.toHaveProperty('fieldDistribution');
});

test('a task is shown as an update', () => {
  const task: Task = {
    uid: 7,
    batchUid: 1,
    indexUid: 'a',
    status: 'failed',
    type: 'documentAdditionOrUpdate',
    canceledBy: null,
    details: { receivedDocuments: 3, indexedDocuments: 0 },
    error: { message: 'm', code: 'internal', type: 'internal', link: 'l' },
    duration: 'P1DT2.500S',
    enqueuedAt: '2024-01-01T00:00:00Z',
    startedAt: '2024-01-01T00:00:00Z',
    finishedAt: '2024-01-02T00:00:02.5Z',
  };
  expect(JSON.stringify(updateView({ task, isPartial: false }))).toBe(
    '{"status":"processed","updateId":7,"type":{"name":"DocumentsAddition","number":3},"duration":86402.5,"enqueuedAt":"2024-01-01T00:00:00Z","processedAt":"2024-01-02T00:00:02.5Z","error":{"message":"m","code":"internal","type":"internal","link":"l"}}',
  );
  const waiting = { ...task, finishedAt: null, duration: null, error: null };
  expect(updateView({ task: waiting, isPartial: false })).toEqual({
    status: 'enqueued',
    updateId: 7,
    type: { name: 'DocumentsAddition', number: 3 },
    enqueuedAt: '2024-01-01T00:00:00Z',
  });
});
