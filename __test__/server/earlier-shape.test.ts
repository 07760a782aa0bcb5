import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newFolder, start } from './servers.js';
import { MASTER_KEY } from './talk.js';

type Json = Record<string, unknown>;

const PRIVATE = createHash('sha256').update(`${MASTER_KEY}-private`).digest('hex');
const PUBLIC = createHash('sha256').update(`${MASTER_KEY}-public`).digest('hex');

/** Speaks the earlier shape, with a key of it. */
function speaker(url: string, key = MASTER_KEY) {
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'X-Svc-API-Key': key,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === '' ? undefined : (JSON.parse(text) as Json);
    return { status: response.status, shape: response.headers.get('svc-api-shape'), answer };
  };
}

type Speak = ReturnType<typeof speaker>;

async function processed(speak: Speak, uid: unknown, index = 'films'): Promise<Json> {
  for (;;) {
    const { answer = {} } = await speak('GET', `/indexes/${index}/updates/${uid}`);
    if (answer.status === 'processed') return answer;
    await delay(20);
  }
}

test('settings are set, shown and reset as the earlier shape has them', async () => {
  const { url } = await start(await newFolder());
  const speak = speaker(url);
  const rules = [
    'typo',
    'words',
    'proximity',
    'attribute',
    'wordsPosition',
    'exactness',
    'asc(a.b)',
  ];
  const change = { rankingRules: [...rules, 'desc(year)'], stopWords: ['the'], synonyms: null };
  const set = await speak('POST', '/indexes/films/settings', change);
  expect(set).toEqual({ status: 202, shape: 'earlier', answer: { updateId: 0 } });
  const update = await processed(speak, 0);
  expect(update).toMatchObject({ updateId: 0, type: { name: 'Settings' } });
  expect(Object.keys((update.type as Json).settings as Json)).toEqual(
    expect.arrayContaining(['rankingRules', 'stopWords', 'synonyms']),
  );
  const shown = await speak('GET', '/indexes/films/settings');
  expect(JSON.stringify(shown.answer)).toBe(
    JSON.stringify({
      synonyms: {},
      stopWords: ['the'],
      rankingRules: [...rules, 'desc(year)'],
      filterableAttributes: [],
      distinctAttribute: null,
      searchableAttributes: ['*'],
      displayedAttributes: ['*'],
      sortableAttributes: [],
    }),
  );
  const unknown = await speak('POST', '/indexes/films/settings', { faceting: {} });
  expect([unknown.status, unknown.answer?.code]).toEqual([400, 'bad_request']);
  await speak('POST', '/indexes/films/settings', { distinctAttribute: 'year' });
  await processed(speak, 1);
  expect((await speak('GET', '/indexes/films/settings')).answer).toMatchObject({
    stopWords: ['the'],
    distinctAttribute: 'year',
  });
  expect((await speak('DELETE', '/indexes/films/settings')).answer).toEqual({ updateId: 2 });
  await processed(speak, 2);
  const after = await speak('GET', '/indexes/films/settings');
  expect(after.answer).toMatchObject({ stopWords: [], distinctAttribute: null });
});

test('tasks of an index are its updates, each named by what it did', async () => {
  const { url } = await start(await newFolder());
  const speak = speaker(url);
  const writes: [string, string, unknown?][] = [
    ['POST', '/indexes/films/documents', [{ id: 1 }, { id: 2 }, { id: 3 }]],
    ['PUT', '/indexes/films/documents', [{ id: 1, a: 1 }]],
    ['POST', '/indexes/films/documents/delete-batch', [2, 3, 4]],
    ['DELETE', '/indexes/films/documents/1'],
    ['DELETE', '/indexes/films/documents'],
    ['PATCH', '/indexes/films', { primaryKey: 'other' }],
    ['POST', '/indexes/films/documents', [{ no: 1 }]],
    ['POST', '/indexes', { uid: 'others' }],
  ];
  for (const [at, write] of writes.entries()) {
    const { status, answer } = await speak(...write);
    expect([status, answer?.taskUid]).toEqual([202, at]);
    await processed(speak, at, at === 7 ? 'others' : 'films');
  }
  const { answer } = await speak('GET', '/indexes/films/updates');
  const updates = answer as unknown as Json[];
  expect(updates.map(({ updateId, type }) => [updateId, type])).toEqual([
    [0, { name: 'DocumentsAddition', number: 3 }],
    [1, { name: 'DocumentsPartial', number: 1 }],
    [2, { name: 'DocumentsDeletion', number: 2 }],
    [3, { name: 'DocumentsDeletion', number: 1 }],
    [4, { name: 'ClearAll' }],
    [5, { name: 'IndexUpdate' }],
    [6, { name: 'DocumentsAddition', number: 1 }],
  ]);
  expect(Object.keys(updates[0] ?? {})).toEqual([
    ...['status', 'updateId', 'type', 'duration', 'enqueuedAt', 'processedAt'],
  ]);
  expect(updates[0]?.duration).toBeTypeOf('number');
  expect(updates[6]).toMatchObject({
    status: 'processed',
    error: { code: 'missing_document_id', type: 'invalid_request' },
  });
  const task = (await speak('GET', '/tasks/1')).answer;
  expect(task?.details).toEqual({ receivedDocuments: 1, indexedDocuments: 1 });
  const batch = (await speak('GET', '/batches/1')).answer;
  expect(batch?.details).toEqual({ receivedDocuments: 1, indexedDocuments: 1 });
  const ofAnother = await speak('GET', '/indexes/films/updates/7');
  expect([ofAnother.status, ofAnother.answer?.code]).toEqual([404, 'task_not_found']);
  expect((await speak('GET', '/indexes/none/updates')).status).toBe(404);
});

test('the three keys open what they are for', async () => {
  const { url } = await start(await newFolder());
  const master = speaker(url);
  await master('POST', '/indexes/films/documents', [{ id: 1 }]);
  await processed(master, 0);
  expect((await master('GET', '/keys')).answer).toEqual({ private: PRIVATE, public: PUBLIC });
  const opened: [string, string, number, number][] = [
    ['GET', '/keys', 403, 403],
    ['POST', '/keys', 403, 403],
    ['GET', '/stats', 200, 403],
    ['GET', '/indexes', 200, 403],
    ['GET', '/indexes/films/settings', 200, 403],
    ['GET', '/indexes/films/updates', 200, 403],
    ['GET', '/indexes/films/search', 200, 200],
    ['POST', '/indexes/films/search', 200, 200],
    ['GET', '/indexes/films/documents', 200, 200],
    ['GET', '/indexes/films/documents/1', 200, 200],
    ['DELETE', '/indexes/films/documents/1', 202, 403],
    ['GET', '/health', 200, 200],
  ];
  for (const [method, path, ofPrivate, ofPublic] of opened) {
    const body = path.endsWith('search') && method === 'POST' ? {} : undefined;
    const statuses = await Promise.all(
      [PRIVATE, PUBLIC].map(async (key) => (await speaker(url, key)(method, path, body)).status),
    );
    expect([method, path, ...statuses]).toEqual([method, path, ofPrivate, ofPublic]);
  }
  for (const method of ['POST', 'PATCH', 'DELETE']) {
    expect((await master(method, method === 'POST' ? '/keys' : '/keys/x')).status).toBe(405);
  }
  const wrong = await speaker(url, 'wrong')('GET', '/stats');
  expect([wrong.status, wrong.answer?.code]).toEqual([403, 'invalid_api_key']);
  const missing = await fetch(`${url}/stats`, { headers: { 'Svc-Api-Shape': 'earlier' } });
  expect([missing.status, missing.headers.get('svc-api-shape')]).toEqual([403, 'earlier']);
  const { message, ...rest } = (await missing.json()) as Json;
  expect(rest).toMatchObject({ code: 'missing_authorization_header', type: 'auth' });
  expect(message).toBeTypeOf('string');
  for (const key of [PRIVATE, PUBLIC]) {
    const headers = { Authorization: `Bearer ${key}` };
    expect((await fetch(`${url}/indexes/films/search`, { headers })).status).toBe(403);
  }
});

test('stats name the fields in one way; a server can be started in the earlier shape', async () => {
  const { url } = await start(await newFolder(), '--api-shape', 'earlier');
  const speak = speaker(url);
  await speak('POST', '/indexes/films/documents', [{ id: 1, a: 1 }]);
  await processed(speak, 0);
  const own = (await speak('GET', '/indexes/films/stats')).answer;
  expect(own).toMatchObject({ numberOfDocuments: 1, fieldsDistribution: { a: 1, id: 1 } });
  expect(own).not.toHaveProperty('fieldDistribution');
  const all = (await speak('GET', '/stats')).answer?.indexes as Record<string, Json>;
  expect(all.films).not.toHaveProperty('fieldDistribution');
  const plain = await fetch(`${url}/stats`);
  expect([plain.status, plain.headers.get('svc-api-shape')]).toEqual([403, 'earlier']);
  const current = await fetch(`${url}/stats`, { headers: { 'Svc-Api-Shape': 'current' } });
  expect([current.status, current.headers.get('svc-api-shape')]).toEqual([401, null]);
});
