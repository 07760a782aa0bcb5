import { describe, expect, test } from 'vitest';
import { LogTarget } from '../../src/logs/log-target.js';
import { Logs } from '../../src/logs/logs.js';

function logsTo(mode: 'human' | 'json', target = LogTarget.of('info')) {
  const lines: string[] = [];
  return { logs: new Logs({ target, mode, write: (text) => lines.push(text) }), lines };
}

const target = (text: string): LogTarget => {
  const read = LogTarget.read(text);
  if (typeof read === 'string') throw new Error(read);
  return read;
};

describe('a target', () => {
  test.each([
    ['info', 'http', 30, true],
    ['info', 'http', 20, false],
    ['OFF', 'http', 60, false],
    ['warn,http=debug', 'http', 20, true],
    ['warn,http=debug', 'http::body', 20, true],
    ['warn,http=debug', 'tasks', 30, false],
    ['http=Error', 'tasks', 50, false],
    ['tasks', 'tasks', 10, true],
    ['5,tasks=0', 'http', 10, true],
    ['5,tasks=0', 'tasks', 50, false],
  ])('%s lets %s at %i through: %s', (text, part, level, passes) => {
    expect(target(text).passes(part, level)).toBe(passes);
  });

  test.each([
    ['', /^Empty string is not a valid target/],
    ['a=b=c', /^invalid filter directive: too many '=' in filter directive, expected 0 or 1$/],
    ['http=loud', /^invalid filter directive: error parsing level filter/],
  ])('%j is refused', (text, reason) => {
    expect(LogTarget.read(text)).toMatch(reason);
  });
});

test('for people a record is a line, its fields behind the message', () => {
  const { logs, lines } = logsTo('human');
  logs.log('info', 'tasks', 'batch ended', { batchUid: 3, note: 'two\nlines' });
  logs.log('debug', 'tasks', 'not shown');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:.]+Z {2}INFO tasks: batch ended batchUid=3 note="two\\nlines"\n$/,
  );
});

test('as JSON a record is an object a line', () => {
  const { logs, lines } = logsTo('json');
  logs.log('warn', 'http', 'slow', { durationMs: 2 });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'WARN',
    target: 'http',
    message: 'slow',
    durationMs: 2,
  });
});

test('fields that hold secrets are left out, wherever they are', () => {
  const { logs, lines } = logsTo('json');
  const secret = 'a-secret-text';
  logs.log('error', 'http', 'failed', {
    authorization: secret,
    masterKey: secret,
    request: { headers: { authorization: secret }, method: 'GET' },
    remote: { searchApiKey: secret, url: 'http://a.test' },
  });
  expect(lines[0]).not.toContain(secret);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ request: { method: 'GET' } });
});

test('what is written out can be changed while the server runs', () => {
  const { logs, lines } = logsTo('json');
  logs.setTarget(target('off'));
  logs.log('error', 'http', 'one');
  logs.setTarget(target('tasks=trace'));
  logs.log('trace', 'tasks', 'two');
  logs.log('error', 'http', 'three');
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['two']);
});

describe('a stream', () => {
  const options = { target: target('debug'), mode: 'json', profileMemory: false } as const;

  test('gets what it asked for, also what is not written out', async () => {
    const { logs, lines } = logsTo('json');
    const stream = logs.follow(options);
    logs.log('debug', 'http', 'answered');
    logs.endStream();
    const text = (await stream?.toArray())?.join('') ?? '';
    expect(JSON.parse(text)).toMatchObject({ message: 'answered' });
    expect(lines).toEqual([]);
  });

  test('is there once at a time, and free again when its listener has gone', async () => {
    const { logs } = logsTo('json');
    const stream = logs.follow(options);
    expect(logs.follow(options)).toBeUndefined();
    stream?.destroy();
    await new Promise((resolve) => stream?.once('close', resolve));
    expect(logs.follow(options)).toBeDefined();
  });

  test('ends before the first record that its listener may not see any more', async () => {
    const { logs } = logsTo('json');
    let mayFollow = true;
    const stream = logs.follow({ ...options, mayFollow: () => mayFollow });
    logs.log('info', 'http', 'seen');
    mayFollow = false;
    logs.log('info', 'http', 'unseen');
    logs.log('info', 'http', 'unseen, too');
    const text = (await stream?.toArray())?.join('') ?? '';
    expect(JSON.parse(text)).toMatchObject({ message: 'seen' });
    expect(logs.follow(options)).toBeDefined();
  });

  test('in the form for profiling tells only what took time, with the memory if asked', async () => {
    const { logs } = logsTo('json');
    const stream = logs.follow({ ...options, mode: 'profile', profileMemory: true });
    logs.log('info', 'http', 'no time');
    logs.log('info', 'http', 'time', { durationMs: 5 });
    logs.endStream();
    const text = (await stream?.toArray())?.join('') ?? '';
    expect(JSON.parse(text)).toMatchObject({ message: 'time', memoryBytes: expect.any(Number) });
  });

  test('loses records when its listener is slow, and says how many', () => {
    const { logs } = logsTo('json');
    const stream = logs.follow(options);
    const long = 'x'.repeat(100_000);
    for (let at = 0; at < 30; at += 1) logs.log('info', 'http', long);
    expect(stream?.readableLength).toBeLessThan(1_300_000);
    stream?.read();
    logs.log('info', 'http', 'after');
    expect(String(stream?.read())).toMatch(/^\(\d+ records were lost\)\n/);
  });
});
