import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from './case-files.mjs';
import { readCases } from './case-files.mjs';
import { Conversation } from './conversation.mjs';
import { firstDifference } from './difference.mjs';
import { fill, pick, signToken } from './placeholders.mjs';
import { judge, readExpected } from './ratchet.mjs';
import { hasSharedTotal, Shape } from './shape.mjs';

describe('shapes', () => {
  const shape = new Shape('run7', 'serval');

  test.each([
    ['2024-05-01T10:00:00.123456Z', '<date>'],
    ['PT0.123S', '<duration>'],
    ['P', 'P'],
    ['01234567-89ab-cdef-0123-456789abcdef', '<uuid>'],
    ['1.5 MiB', '<size>'],
    ['https://docs.example.org/errors#bad_request', '<docs>/errors#bad_request'],
    ['Serval is running', '{service} is running'],
    ['run7-movies', '{i}-movies'],
  ])('%j is compared as %j', (value, mark) => {
    expect(shape.of({ value })).toEqual({ value: mark });
  });

  test('counters are marked by their name, other whole numbers are kept', () => {
    expect(shape.of({ taskUid: 3, limit: 20, items: [{ uid: 4 }] })).toEqual({
      taskUid: '<int>',
      limit: 20,
      items: [{ uid: '<int>' }],
    });
  });

  test('a total is marked only where it counts what other cases made', () => {
    expect(hasSharedTotal('/tasks?limit=1')).toBe(true);
    expect(hasSharedTotal('/tasks?indexUids={i}-a')).toBe(false);
    expect(hasSharedTotal('/indexes/{i}-a/documents')).toBe(false);
    expect(shape.of({ total: 3 }, true)).toEqual({ total: '<int>' });
    expect(shape.of({ total: 3 }, false)).toEqual({ total: 3 });
  });
});

describe('differences', () => {
  test('the order of keys counts', () => {
    expect(firstDifference({ a: 1, b: 2 }, { b: 2, a: 1 })).toMatchObject({ want: 'keys a, b' });
  });

  test('the first one is named by its path', () => {
    expect(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })).toEqual({
      path: '/a/1/b',
      want: 2,
      got: 3,
    });
  });

  test('a key too few, a key too many and a list that is longer are differences', () => {
    expect(firstDifference({ a: 1 }, {})).toMatchObject({ path: '/a', got: '(absent)' });
    expect(firstDifference({}, { a: 1 })).toMatchObject({ path: '/a', want: '(absent)' });
    expect(firstDifference([1], [1, 2])).toMatchObject({ path: '/1' });
    expect(firstDifference([], {})).toBeDefined();
  });

  test('fields that only this server has may be there', () => {
    expect(firstDifference({ a: 1 }, { a: 1, updateId: 4 })).toBeUndefined();
  });

  test('fractions may differ by one part in a million, whole numbers not at all', () => {
    expect(firstDifference(0.5, 0.500_000_1)).toBeUndefined();
    expect(firstDifference(0.5, 0.500_1)).toBeDefined();
    expect(firstDifference(10_000_000, 10_000_001)).toBeDefined();
  });
});

describe('placeholders', () => {
  test('the prefix, dates and saved answers are filled in, other braces stay', () => {
    const text = '{i}-a {k.results.0.key} {unknown.key} {name}';
    const saved = { k: { results: [{ key: 'abc' }] } };
    expect(fill(text, 'run7', saved)).toBe('run7-a abc {unknown.key} {name}');
    expect(new Date(fill('{now+60000}', 'run7', {})).getTime()).toBeGreaterThan(Date.now());
  });

  test('paths go through lists by position, by value, by beginning, and through all', () => {
    const value = { list: [{ n: 'ab' }, { n: 'ac' }, { n: 'b' }] };
    const paths = ['list/1/n', 'list/[n=b]', 'list/[n^=a]/*/n', 'list/*/n', 'none/n'];
    expect(Object.values(pick(value, paths))).toEqual([
      'ac',
      { n: 'b' },
      ['ab', 'ac'],
      ['ab', 'ac', 'b'],
      null,
    ]);
  });

  test('a token has a header, a payload and a signature that a tampered one fails', () => {
    const spec = { payload: { a: 1 }, secret: 's' };
    const [header, payload, signature] = signToken(spec, '', {}).split('.');
    const tampered = signToken({ ...spec, tamper: { a: 2 } }, '', {}).split('.');
    expect(Buffer.from(String(payload), 'base64url').toString()).toBe('{"a":1}');
    expect(tampered[0]).toBe(header);
    expect(tampered[1]).not.toBe(payload);
    expect(tampered[2]).toBe(signature);
  });
});

describe('a conversation', () => {
  const servers: { close: () => void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** A server that answers by method and path, and counts how often each was asked. */
  async function converse(steps: Step[], answers: Record<string, (n: number) => [number, object]>) {
    const counts: Record<string, number> = {};
    const requests: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      const name = `${request.method} ${request.url}`;
      counts[name] = (counts[name] ?? 0) + 1;
      requests.push(request);
      const [status, body] = answers[name]?.(counts[name]) ?? [404, {}];
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const target = { url, key: 'master', service: 'serval', timeoutMs: 5000 };
    const failure = await new Conversation(target, 'run7').play({ id: 'x', file: 'x', steps });
    return { failure, requests };
  }

  const accepted = (task?: object): Step => ({
    req: { method: 'POST', path: '/indexes', body: { uid: '{i}-a' } },
    res: {
      status: 202,
      contentType: 'application/json',
      body: { taskUid: '<int>', status: 'enqueued' },
      ...(task ? { task } : {}),
    },
  });
  const answers = {
    'POST /indexes': (): [number, object] => [202, { taskUid: 5, status: 'enqueued' }],
    'GET /tasks/5': (n: number): [number, object] => [
      200,
      { uid: 5, status: n < 3 ? 'processing' : 'succeeded' },
    ],
  };

  test('follows a task to its end and compares it', async () => {
    const step = accepted({ uid: '<int>', status: 'succeeded' });
    expect((await converse([step], answers)).failure).toBeUndefined();
    const other = accepted({ uid: '<int>', status: 'failed' });
    expect((await converse([other], answers)).failure?.reason).toContain('/task/status');
  });

  test('compares the status and tells which step differs', async () => {
    const step: Step = {
      req: { method: 'GET', path: '/none' },
      res: { status: 200, contentType: 'application/json', body: {} },
    };
    const { failure } = await converse(
      [accepted({ uid: '<int>', status: 'succeeded' }), step],
      answers,
    );
    expect(failure?.reason).toBe('step 2 GET /none: /status: want 200, got 404');
  });

  test('sends the master key unless the step takes it away, and no content type of its own', async () => {
    const res = { status: 404, contentType: 'application/json', body: {} };
    const { requests } = await converse(
      [
        { req: { method: 'POST', path: '/a', raw: '{}' }, res },
        { req: { method: 'POST', path: '/b', body: {}, headers: { authorization: null } }, res },
        { req: { method: 'POST', path: '/c', body: {}, headers: { 'content-type': null } }, res },
      ],
      {},
    );
    const sent = requests.map(({ headers }) => [headers.authorization, headers['content-type']]);
    expect(sent).toEqual([
      ['Bearer master', undefined],
      [undefined, 'application/json'],
      ['Bearer master', undefined],
    ]);
  });
});

describe('the ratchet', () => {
  test('tells listed cases that fail from news', () => {
    const judged = judge(new Set(['a', 'b']), ['a', 'b', 'c', 'd'], new Set(['b', 'd']));
    expect(judged).toEqual({ broken: ['b'], gained: ['c'], held: ['a'], missing: ['d'] });
  });

  test('every case has a name of its own, and every listed name is a case', () => {
    const ids = readCases().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...readExpected()].filter((id) => !ids.includes(id))).toEqual([]);
  });
});
