import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import type { Serval } from '../../src/serval.js';
import { dataFolder, openServal } from '../tasks/open-serval.js';

let path: string;
let db: Serval;
let app: FastifyInstance;

async function start(): Promise<void> {
  ({ db } = await openServal(path));
  const server = await createServer(servicesOf(db), {
    payloadSizeLimit: 100_000,
  });
  onTestFinished(() => server.close());
  app = server;
}

async function call(route: string, body?: object) {
  const [method, url = ''] = route.split(' ');
  const sent = body === undefined ? {} : { payload: body };
  const response = await app.inject({ method: method as 'GET', url, ...sent });
  return { status: response.statusCode, body: JSON.parse(response.body) };
}

/** Sends a write and gives back its task once it has ended. */
async function write(route: string, body?: object) {
  const { status, body: summary } = await call(route, body);
  expect({ status, summary }).toMatchObject({ status: 202, summary: { status: 'enqueued' } });
  return db.tasks.waitFor(summary.taskUid);
}

const PIN = { selector: { indexUid: 'movies', id: '7' }, action: { type: 'pin', position: 0 } };
const refused = (code: string, message: string) => ({ status: 400, body: { code, message } });

beforeEach(async () => {
  path = dataFolder();
  await start();
  await db.features.set({ dynamicSearchRules: true });
});

describe('while the feature is off', () => {
  beforeEach(() => db.features.set({ dynamicSearchRules: false }));

  test.each([
    ['POST /dynamic-search-rules', 'Calling the `POST /dynamic-search-rules` route', {}],
    [
      'GET /dynamic-search-rules/a',
      'Calling the `GET /dynamic-search-rules/{:ruleUid}` route',
      undefined,
    ],
    ['PATCH /dynamic-search-rules/a', 'Using the `/dynamic-search-rules` routes', {}],
    ['DELETE /dynamic-search-rules/a', 'Using the `/dynamic-search-rules` routes', undefined],
    ['DELETE /dynamic-search-rules', 'Using the `/dynamic-search-rules` routes', undefined],
  ])('%s says so', async (route, action, body) => {
    const answer = await call(route, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'feature_not_enabled' } });
    expect(answer.body.message).toContain(
      `${action} requires enabling the \`dynamic search rules\` experimental feature.`,
    );
  });

  test('a bad body is answered first', async () => {
    const answer = await call('PATCH /dynamic-search-rules/a', { active: 1 });
    expect(answer.body.code).toBe('invalid_dynamic_search_rule_active');
  });
});

describe('a change of a rule', () => {
  test('creates it, with defaults and keys in the order of the wire', async () => {
    const task = await write('PATCH /dynamic-search-rules/a', {
      actions: [PIN],
      precedence: 3,
      description: 'Summer',
    });
    expect(task).toMatchObject({
      indexUid: null,
      type: 'dsrUpdate',
      status: 'succeeded',
      details: { rule: { uid: 'a', precedence: 3 }, updatedRules: 1 },
    });
    const { body } = await call('GET /dynamic-search-rules/a');
    expect(Object.entries(body)).toEqual([
      ['uid', 'a'],
      ['description', 'Summer'],
      ['lastUpdatedAt', expect.stringMatching(/^\d{4}-.*Z$/)],
      ['precedence', 3],
      ['active', true],
      ['conditions', {}],
      ['actions', [PIN]],
    ]);
  });

  test('replaces the fields given, resets those that are null, leaves the others', async () => {
    await write('PATCH /dynamic-search-rules/a', {
      description: 'Summer',
      precedence: 3,
      active: false,
      conditions: { query: { words: 'sun sea' }, filter: { values: { kind: 'film' } } },
      actions: [PIN],
    });
    await write('PATCH /dynamic-search-rules/a', {
      description: null,
      active: null,
      conditions: { time: { start: '2030-01-01T00:00:00Z', end: null } },
    });
    const { body } = await call('GET /dynamic-search-rules/a');
    expect(body).toEqual({
      uid: 'a',
      lastUpdatedAt: expect.any(String),
      precedence: 3,
      active: true,
      conditions: { time: { start: '2030-01-01T00:00:00Z' } },
      actions: [PIN],
    });
  });

  test('carries the metadata of its sender', async () => {
    const task = await write('PATCH /dynamic-search-rules/a?customMetadata=mine', {});
    expect(task.customMetadata).toBe('mine');
  });

  test.each([
    [{ description: 1 }, 'invalid_dynamic_search_rule_description'],
    [{ precedence: -1 }, 'invalid_dynamic_search_rule_priority'],
    [{ conditions: { time: { start: 'soon' } } }, 'invalid_dynamic_search_rule_conditions'],
    [
      { conditions: { time: { start: '2030-02-30T00:00:00Z' } } },
      'invalid_dynamic_search_rule_conditions',
    ],
    [{ conditions: { filter: {} } }, 'invalid_dynamic_search_rule_conditions'],
    [{ actions: [{ selector: {}, action: PIN.action }] }, 'invalid_dynamic_search_rule_actions'],
    [
      { actions: [{ ...PIN, action: { type: 'hide', position: 0 } }] },
      'invalid_dynamic_search_rule_actions',
    ],
    [
      { actions: [{ ...PIN, action: { type: 'pin', position: 2 ** 32 } }] },
      'invalid_dynamic_search_rule_actions',
    ],
  ])('with the body %j is refused', async (body, code) => {
    expect(await call('PATCH /dynamic-search-rules/a', body)).toMatchObject({
      status: 400,
      body: { code },
    });
  });

  test('with conditions that no search meets is refused', async () => {
    const conditions = { query: { isEmpty: true, words: 'sun' } };
    expect(await call('PATCH /dynamic-search-rules/a', { conditions })).toMatchObject(
      refused(
        'bad_request',
        'Invalid value at `.conditions.query`: either `isEmpty` or `words` can be used, not both at once',
      ),
    );
    const time = { start: '2030-01-02T00:00:00Z', end: '2030-01-01T23:00:00-01:00' };
    expect(await call('PATCH /dynamic-search-rules/a', { conditions: { time } })).toMatchObject(
      refused(
        'bad_request',
        'Invalid value at `.conditions.time`: `end` (`2030-01-01T23:00:00-01:00`) should be later than `start` (`2030-01-02T00:00:00Z`)',
      ),
    );
  });

  test('with an unknown field lists the known ones', async () => {
    const { body } = await call('PATCH /dynamic-search-rules/a', { colour: 1 });
    expect(body).toMatchObject({
      code: 'bad_request',
      message:
        'Unknown field `colour`: expected one of `description`, `precedence`, `active`, `conditions`, `actions`',
    });
  });

  test('of a uid that no index could have is refused', async () => {
    expect(await call('PATCH /dynamic-search-rules/a.b', {})).toMatchObject({
      status: 400,
      body: { code: 'invalid_index_uid' },
    });
  });
});

describe('rules', () => {
  const uids = async (body: object) =>
    (await call('POST /dynamic-search-rules', body)).body.results.map(
      ({ uid }: { uid: string }) => uid,
    );

  beforeEach(async () => {
    await write('PATCH /dynamic-search-rules/b', { description: 'Summer sale' });
    await write('PATCH /dynamic-search-rules/a', { active: false });
    await write('PATCH /dynamic-search-rules/c', { conditions: { query: { words: 'Été chaud' } } });
    await write('PATCH /dynamic-search-rules/b', { precedence: 1 });
  });

  test('are listed by pages, the one changed last first', async () => {
    expect(await uids({})).toEqual(['b', 'c', 'a']);
    const { body } = await call('POST /dynamic-search-rules', { offset: 1, limit: 1 });
    expect(body).toMatchObject({ results: [{ uid: 'c' }], offset: 1, limit: 1, total: 3 });
  });

  test('are found by their words and by whether they are active', async () => {
    expect(await uids({ filter: { active: false } })).toEqual(['a']);
    expect(await uids({ filter: { query: 'SUM' } })).toEqual(['b']);
    expect(await uids({ filter: { query: 'été' } })).toEqual(['c']);
    expect(await uids({ filter: { query: 'summer été' } })).toEqual([]);
    expect(await uids({ filter: null })).toHaveLength(3);
  });

  test('are there after a restart, in the same order', async () => {
    await db.close();
    await start();
    expect(await uids({})).toEqual(['b', 'c', 'a']);
  });

  test('are removed one by one, and an absent one is no failure', async () => {
    const task = await write('DELETE /dynamic-search-rules/c');
    expect(task).toMatchObject({ type: 'dsrUpdate', details: { updatedRules: 1 } });
    expect(await call('GET /dynamic-search-rules/c')).toMatchObject({
      status: 404,
      body: {
        code: 'dynamic_search_rule_not_found',
        message: 'Dynamic search rule `c` not found.',
      },
    });
    expect(await write('DELETE /dynamic-search-rules/c')).toMatchObject({ status: 'succeeded' });
  });

  test('are removed all at once', async () => {
    const task = await write('DELETE /dynamic-search-rules');
    expect(task).toMatchObject({ type: 'dsrClear', details: { deletedDocuments: 3 } });
    expect(await uids({})).toEqual([]);
  });
});
