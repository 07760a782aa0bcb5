import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { Serval } from '../../src/serval.js';

/** What is refused, however it is asked for: a request, and the call that asks for the same. */
interface Case {
  readonly request: readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string];
  readonly body?: unknown;
  readonly call: () => unknown;
  readonly code: string;
}

let db: Serval;
let app: FastifyInstance;

beforeAll(async () => {
  db = await Serval.memory({ features: ['editDocumentsByFunction'] });
  app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6 });
  const books = db.index('books');
  await books.updateSettings({ filterableAttributes: ['title'] });
  await (await books.addDocuments([{ id: 1, title: 'Dune' }])).wait();
});

afterAll(async () => {
  await app.close();
  await db.close();
});

/** The code of the error that a call gives, whichever way it gives it. */
async function codeOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return 'taken';
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

/** A value as programs without types may give it. */
const untyped = (value: unknown): never => value as never;

const adding = (options: object) => db.index('books').addDocuments([], untyped(options));

const CASES: Record<string, () => Case> = {
  'deleting by an operator whose feature is off': () => ({
    request: ['POST', '/indexes/books/documents/delete'],
    body: { filter: 'title CONTAINS un' },
    call: () => db.index('books').deleteDocuments({ filter: 'title CONTAINS un' }),
    code: 'feature_not_enabled',
  }),
  'editing by an operator whose feature is off': () => ({
    request: ['POST', '/indexes/books/documents/edit'],
    body: { filter: 'title CONTAINS un', function: 'doc' },
    call: () => db.index('books').editDocuments('doc', { filter: 'title CONTAINS un' }),
    code: 'feature_not_enabled',
  }),
  'deleting by no filter': () => ({
    request: ['POST', '/indexes/books/documents/delete'],
    body: {},
    call: () => db.index('books').deleteDocuments({ filter: untyped(undefined) }),
    code: 'missing_document_filter',
  }),
  'a function that is no text': () => ({
    request: ['POST', '/indexes/books/documents/edit'],
    body: { function: 5 },
    call: () => db.index('books').editDocuments(untyped(5)),
    code: 'invalid_document_edition_function_filter',
  }),
  'creating an index with a primary key that is no text': () => ({
    request: ['POST', '/indexes'],
    body: { uid: 'others', primaryKey: 5 },
    call: () => db.index('others').create(untyped(5)),
    code: 'invalid_index_primary_key',
  }),
  'a CSV delimiter of two characters': () => ({
    request: ['POST', '/indexes/books/documents?csvDelimiter=ab'],
    body: [],
    call: () => adding({ format: { format: 'csv', delimiter: 'ab' } }),
    code: 'invalid_document_csv_delimiter',
  }),
  'a switch for documents that are there that is neither true nor false': () => ({
    request: ['POST', '/indexes/books/documents?skipCreation=often'],
    body: [],
    call: () => adding({ skipCreation: 'often' }),
    code: 'invalid_skip_creation',
  }),
  'an option of additions that there is not': () => ({
    request: ['POST', '/indexes/books/documents?primarykey=id'],
    body: [],
    call: () => adding({ primarykey: 'id' }),
    code: 'bad_request',
  }),
  'documents that are no objects': () => ({
    request: ['POST', '/indexes/books/documents'],
    body: 'text',
    call: () => db.index('books').addDocuments(untyped('text')),
    code: 'malformed_payload',
  }),
  'settings that are no object': () => ({
    request: ['PATCH', '/indexes/books/settings'],
    body: 5,
    call: () => db.index('books').updateSettings(untyped(5)),
    code: 'bad_request',
  }),
  'a facet search by a vector without an embedder': () => ({
    request: ['POST', '/indexes/books/facet-search'],
    body: { facetName: 'title', vector: [1] },
    call: () => db.index('books').facetSearch('title', null, { vector: [1] }),
    code: 'missing_search_hybrid',
  }),
  'a facet search without a facet': () => ({
    request: ['POST', '/indexes/books/facet-search'],
    body: {},
    call: () => db.index('books').facetSearch(untyped(undefined)),
    code: 'missing_facet_search_facet_name',
  }),
  'documents of other servers, while there is no network': () => ({
    request: ['POST', '/indexes/books/documents/fetch'],
    body: { useNetwork: true },
    call: () => db.index('books').getDocuments(untyped({ useNetwork: true })),
    code: 'feature_not_enabled',
  }),
  'several searches that are no list': () => ({
    request: ['POST', '/multi-search'],
    body: { queries: 5 },
    call: () => db.multiSearch(untyped(5)),
    code: 'bad_request',
  }),
  'one of several searches that is none': () => ({
    request: ['POST', '/multi-search'],
    body: { queries: [null] },
    call: () => db.multiSearch([untyped(null)]),
    code: 'bad_request',
  }),
  'swapping an index with itself': () => ({
    request: ['POST', '/swap-indexes'],
    body: [{ indexes: ['books', 'books'] }],
    call: () => db.swapIndexes([['books', 'books']]),
    code: 'invalid_swap_duplicate_index_found',
  }),
  'swapping what is no pair': () => ({
    request: ['POST', '/swap-indexes'],
    body: [{ indexes: ['books'] }],
    call: () => db.swapIndexes([untyped(['books'])]),
    code: 'invalid_swap_indexes',
  }),
  'a feature that there is not': () => ({
    request: ['PATCH', '/experimental-features'],
    body: { bogus: true },
    call: () => db.features.set(untyped({ bogus: true })),
    code: 'bad_request',
  }),
  'a feature that is neither on nor off': () => ({
    request: ['PATCH', '/experimental-features'],
    body: { metrics: 'yes' },
    call: () => db.features.set({ metrics: untyped('yes') }),
    code: 'bad_request',
  }),
  'tasks of a type that there is not': () => ({
    request: ['GET', '/tasks?types=bogus'],
    call: () => db.tasks.list({ types: [untyped('bogus')] }),
    code: 'invalid_task_types',
  }),
  'a page of tasks that is less than nothing': () => ({
    request: ['GET', '/tasks?limit=-1'],
    call: () => db.tasks.list({ limit: -1 }),
    code: 'invalid_task_limit',
  }),
  'tasks after what is no date': () => ({
    request: ['GET', '/tasks?afterEnqueuedAt=yesterday'],
    call: () => db.tasks.list({ afterEnqueuedAt: 'yesterday' }),
    code: 'invalid_task_after_enqueued_at',
  }),
  'a criterion of tasks that there is not': () => ({
    request: ['POST', '/tasks/cancel?bogus=1'],
    call: () => db.tasks.cancel(untyped({ bogus: 1 })),
    code: 'bad_request',
  }),
  'a task by what is no uid': () => ({
    request: ['GET', '/tasks/x'],
    call: () => db.tasks.get(untyped('x')),
    code: 'invalid_task_uids',
  }),
  'a batch by what is no uid': () => ({
    request: ['GET', '/batches/1.5'],
    call: () => db.tasks.getBatch(1.5),
    code: 'invalid_batch_uids',
  }),
};

describe('a program is refused what a request is refused, by the same code:', () => {
  test.each(Object.keys(CASES))('%s', async (name) => {
    const { request, body, call, code } = (CASES[name] as () => Case)();
    const [method, url] = request;
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await app.inject({ method, url, headers, ...payload });

    expect([answer.json().code, await codeOf(call)]).toEqual([code, code]);
  });
});

test('a key is refused what a request for one is refused', async () => {
  const keys = db.apiKeys('masterKeyOfTheTests');
  const key = { actions: ['search'], indexes: ['*'], expiresAt: null } as const;

  expect(await codeOf(() => keys.create(untyped({})))).toBe('missing_api_key_actions');
  expect(await codeOf(() => keys.create({ ...key, actions: [untyped('fly')] }))).toBe(
    'invalid_api_key_actions',
  );
  expect(await codeOf(() => keys.create({ ...key, expiresAt: '2001-01-01' }))).toBe(
    'invalid_api_key_expires_at',
  );
  const made = await keys.create(key);
  expect(await codeOf(() => keys.update(made.uid, untyped({ actions: [] })))).toBe(
    'immutable_api_key_actions',
  );
  expect(made).toMatchObject({ ...key, name: null });
});

test('an index that only the facets of a federation name makes the request wrong', async () => {
  const asked = db.federatedSearch([{ indexUid: 'books' }], { facetsByIndex: { none: ['title'] } });
  await expect(asked).rejects.toMatchObject({ code: 'index_not_found', status: 400 });
});

test('settings are read as over HTTP, and can be written as they were read', async () => {
  const books = db.index('books');
  const { body } = await app.inject({ url: '/indexes/books/settings' });
  expect(await books.settings()).toEqual(JSON.parse(body));
  expect(await books.settings()).not.toHaveProperty('chat');

  await (await books.updateSettings(await books.settings())).wait();
  await db.features.set({ chatCompletions: true, foreignKeys: true });
  expect(await books.settings()).toMatchObject({ foreignKeys: [], chat: { description: '' } });
  await (await books.updateSettings(await books.settings())).wait();
  await db.features.set({ chatCompletions: false, foreignKeys: false });
});

test('documents that JSON cannot hold are refused, and which of them it is is said', async () => {
  const round: Record<string, unknown> = { id: 2 };
  round.self = round;
  for (const wrong of [round, { id: 1n }, undefined, () => 1]) {
    const adding = db.index('books').addDocuments([{ id: 1 }, untyped(wrong)]);
    await expect(adding).rejects.toMatchObject({
      code: 'malformed_payload',
      message: expect.stringContaining('Document 2 '),
    });
  }
});

test('a search by what JSON cannot hold is refused, too', async () => {
  const searching = db.index('books').search('x', { limit: untyped(1n) });
  await expect(searching).rejects.toMatchObject({ code: 'invalid_search_limit' });
});

test('tasks are canceled by a filter alone, which the task shows', async () => {
  const { taskUid } = await db.tasks.cancel({ uids: [1, 2], statuses: ['enqueued'] });
  const { details } = await db.tasks.waitFor(taskUid);
  expect(details?.originalFilter).toBe('?uids=1,2&statuses=enqueued');
});
