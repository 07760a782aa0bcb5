import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Batch, Task } from '../../src/tasks/task.js';
import { films, newFolder, start } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

interface Stream {
  readonly client: ClientRequest;
  readonly response: IncomingMessage;
}

/** Opens a stream; nothing of it is read yet. */
async function open(
  url: string,
  headers: Record<string, string> = {},
  key = MASTER_KEY,
  body?: string,
): Promise<Stream> {
  const method = body === undefined ? 'GET' : 'POST';
  const client = request(url, { method, headers: { authorization: `Bearer ${key}`, ...headers } });
  onTestFinished(() => void client.destroy());
  client.on('error', () => undefined);
  client.end(body);
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return { client, response };
}

/** Lines as JSON until one is the last that is asked for. */
async function statesUntil<T>({ response }: Stream, isLast: (state: T) => boolean): Promise<T[]> {
  const states: T[] = [];
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    states.push(...lines.map((line) => JSON.parse(line)));
    if (states.some(isLast)) return states;
  }
  throw new Error(`the stream ended after ${states.length} states`);
}

const hasEnded = ({ finishedAt }: Batch) => finishedAt !== null;

async function manyFilms(copies: number): Promise<Record<string, unknown>[]> {
  const some = await films();
  return Array.from({ length: copies }, (_, copy) =>
    some.map((film) => ({ ...film, id: `${copy}-${film.id}` })),
  ).flat();
}

test('two listeners see an import start, get on and end', async () => {
  const { url } = await start(await newFolder());
  const streams = [await open(`${url}/batches/stream`), await open(`${url}/batches/stream`)];
  expect(streams[0]?.response.statusCode).toBe(200);
  expect(streams[0]?.response.headers['content-type']).toBe('application/x-ndjson');
  const heard = streams.map((stream) => statesUntil<Batch>(stream, hasEnded));
  await write(url, 'POST', '/indexes/films/documents', await manyFilms(20));
  const [first = [], second = []] = await Promise.all(heard);
  expect(second).toEqual(first);
  const [begin, ...rest] = first;
  expect(begin).toMatchObject({
    uid: 0,
    progress: { steps: [{ currentStep: 'processing tasks', finished: 0 }] },
    duration: null,
    stats: { totalNbTasks: 1, status: { processing: 1 } },
  });
  const percentages = first.slice(0, -1).map(({ progress }) => progress?.percentage ?? -1);
  expect(percentages.length).toBeGreaterThan(3);
  expect(percentages).toEqual(percentages.toSorted((a, b) => a - b));
  expect(rest.at(-1)).toMatchObject({
    uid: 0,
    progress: null,
    details: { receivedDocuments: 10_000, indexedDocuments: 10_000 },
    stats: { status: { succeeded: 1 } },
    batchStrategy: expect.any(String),
  });
  expect(rest.at(-1)).toEqual(await ask(`${url}/batches/0`));
});

test('a listener of tasks sees each status, as lines or as events', async () => {
  const { url } = await start(await newFolder());
  const lines = await open(`${url}/tasks/stream`);
  const events = await open(`${url}/tasks/stream`, { accept: 'text/event-stream' });
  const heard = statesUntil<Task>(lines, ({ status, uid }) => status === 'failed' && uid === 1);
  await write(url, 'POST', '/indexes', { uid: 'films' });
  await write(url, 'DELETE', '/indexes/none');
  const states = await heard;
  expect(states.map(({ uid, status, batchUid }) => [uid, status, batchUid])).toEqual([
    [0, 'enqueued', null],
    [0, 'processing', 0],
    [0, 'succeeded', 0],
    [1, 'enqueued', null],
    [1, 'processing', 1],
    [1, 'failed', 1],
  ]);
  expect(states.at(-1)).toEqual(await ask(`${url}/tasks/1`));
  expect(lines.response.headers['content-type']).toBe('application/x-ndjson');
  expect(events.response.headers['content-type']).toBe('text/event-stream');
  const [chunk] = await once(events.response, 'data');
  expect(String(chunk)).toMatch(/^data: \{"uid":0,.*\}\n\n/);
});

test('a listener of batches gets lines, or events when it asks for them', async () => {
  const { url } = await start(await newFolder());
  const events = await open(`${url}/batches/stream`, { accept: 'text/event-stream' });
  await write(url, 'POST', '/indexes', { uid: 'films' });
  expect(events.response.headers['content-type']).toBe('text/event-stream');
  const [chunk] = await once(events.response, 'data');
  expect(String(chunk)).toMatch(/^data: \{"uid":0,.*\}\n\n/);
});

test('a listener of tasks sees settings of many words in each status', async () => {
  const { url } = await start(await newFolder());
  const stream = await open(`${url}/tasks/stream`);
  const heard = statesUntil<Task>(stream, ({ status }) => status === 'succeeded');
  const stopWords = Array.from({ length: 20_000 }, (_, number) => `word${100_000 + number}`);
  await write(url, 'PATCH', '/indexes/films/settings', { stopWords });
  const states = await heard;
  expect(states[0]).toMatchObject({ status: 'enqueued', batchUid: null, startedAt: null });
  expect(states.at(-1)).toEqual(await ask(`${url}/tasks/0`));
  for (const { details } of states) expect(details).toEqual({ stopWords });
});

test('a canceled batch is told of as canceled', async () => {
  const { url } = await start(await newFolder());
  const stream = await open(`${url}/tasks/stream`);
  const heard = statesUntil<Task>(stream, ({ uid, status }) => uid === 1 && status === 'succeeded');
  await ask(`${url}/indexes/films/documents`, 'POST', await manyFilms(20));
  await write(url, 'POST', '/tasks/cancel?uids=0');
  const states = await heard;
  const statuses = states.filter(({ uid }) => uid === 0).map(({ status }) => status);
  expect(statuses.at(0)).toBe('enqueued');
  expect(statuses.at(-1)).toBe('canceled');
});

test('a key for some indexes hears of these alone', async () => {
  const { url } = await start(await newFolder());
  const { key } = await ask<{ key: string }>(`${url}/keys`, 'POST', {
    actions: ['tasks.get'],
    indexes: ['mine*'],
    expiresAt: null,
  });
  const batches = await open(`${url}/batches/stream`, {}, key);
  const tasks = await open(`${url}/tasks/stream`, {}, key);
  const heard = Promise.all([
    statesUntil<Batch>(batches, (batch) => hasEnded(batch) && 'mine-2' in batch.stats.indexUids),
    statesUntil<Task>(
      tasks,
      ({ indexUid, status }) => `${indexUid} ${status}` === 'mine-2 succeeded',
    ),
  ]);
  for (const uid of ['mine-1', 'theirs', 'mine-2']) await write(url, 'POST', '/indexes', { uid });
  const [batchStates, taskStates] = await heard;
  const seen = batchStates.flatMap(({ stats }) => Object.keys(stats.indexUids));
  expect([...new Set(seen)]).toEqual(['mine-1', 'mine-2']);
  expect([...new Set(taskStates.map(({ indexUid }) => indexUid))]).toEqual(['mine-1', 'mine-2']);
});

test('a key that is deleted hears of nothing more', async () => {
  const { url } = await start(await newFolder());
  const { key, uid } = await ask<{ key: string; uid: string }>(`${url}/keys`, 'POST', {
    actions: ['tasks.get', 'metrics.get'],
    indexes: ['*'],
    expiresAt: null,
  });
  await ask(`${url}/experimental-features`, 'PATCH', { logsRoute: true });
  const streams = [
    await open(`${url}/batches/stream`, {}, key),
    await open(`${url}/tasks/stream`, {}, key),
    await open(`${url}/logs/stream`, { 'content-type': 'application/json' }, key, '{}'),
  ];
  for (const { response } of streams) expect(response.statusCode).toBe(200);
  await ask(`${url}/keys/${uid}`, 'DELETE');
  await write(url, 'POST', '/indexes', { uid: 'films' });
  const heard = streams.map(async ({ response }) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    return text;
  });
  expect(await Promise.all(heard)).toEqual(['', '', '']);
});

test('a client that does not read holds nobody up, and gets the newest state at last', async () => {
  const { url } = await start(await newFolder());
  const idle = await open(`${url}/batches/stream`);
  const awake = await open(`${url}/batches/stream`);
  const N = 50;
  const isLast = (batch: Batch) => batch.uid === N - 1 && hasEnded(batch);
  const heard = statesUntil<Batch>(awake, isLast);
  const long = 'x'.repeat(300_000);
  for (let turn = 0; turn < N; turn += 1) {
    await write(url, 'PUT', '/indexes/films/settings/dictionary', [`${turn}`, long]);
  }
  const ends = (await heard).filter(hasEnded).map(({ uid }) => uid);
  expect(ends).toEqual(Array.from({ length: N }, (_, uid) => uid));
  const late = await statesUntil<Batch>(idle, isLast);
  expect(late.filter(hasEnded).length).toBeLessThan(N);
});

test('clients that vanish are forgotten, and others go on listening', async () => {
  const { url } = await start(await newFolder());
  const gone = await Promise.all(Array.from({ length: 50 }, () => open(`${url}/batches/stream`)));
  const stays = await open(`${url}/batches/stream`);
  const heard = statesUntil<Batch>(stays, hasEnded);
  for (const { client } of gone) client.destroy();
  await write(url, 'POST', '/indexes', { uid: 'films' });
  expect((await heard).at(-1)).toMatchObject({ uid: 0, stats: { status: { succeeded: 1 } } });
});

test('a stop of the server ends the streams, also of clients that do not read', async () => {
  const server = await start(await newFolder());
  const open2 = async (path: string) => open(`${server.url}${path}`);
  const streams = [await open2('/batches/stream'), await open2('/tasks/stream')];
  await open2('/batches/stream');
  await write(server.url, 'POST', '/indexes', { uid: 'films' });
  const ends = streams.map(async ({ response }) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    return text;
  });
  await delay(50);
  await server.stop();
  expect(server.exitCode()).toBe(0);
  for (const text of await Promise.all(ends)) expect(text).toMatch(/"succeeded".*\n$/s);
});
