import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe as describeAll, expect, onTestFinished, test as testAll } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { connections } from './connections.js';
import { newFolder, type Server, start } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

/** Windows lets no threads share the connections of a port. */
const isWindows = process.platform === 'win32';
const test = testAll.skipIf(isWindows);
const describe = describeAll.skipIf(isWindows);

/** Twice as many as there are loops: two for each. */
const N_CONNECTIONS = 4;
const ROUNDS = 10;
const SEARCH = '/indexes/films/search';

const film = (id: number) => ({ id, title: `film ${id}` });

async function withFilms(count: number, ...args: string[]): Promise<Server> {
  const server = await start(await newFolder(), '--http-workers', '2', ...args);
  const films = Array.from({ length: count }, (_, id) => film(id));
  await write(server.url, 'POST', '/indexes/films/documents', films);
  return server;
}

describe('what was acknowledged holds on every connection at once', () => {
  test('a key that was made, and one that was deleted', async () => {
    const server = await withFilms(1);
    const all = await connections(server, N_CONNECTIONS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { key, uid } = await ask<{ key: string; uid: string }>(`${server.url}/keys`, 'POST', {
        actions: ['search'],
        indexes: ['films'],
        expiresAt: null,
      });
      for (const one of all) {
        expect(await one.ask('POST', SEARCH, { key, body: {} })).toMatchObject({ status: 200 });
      }
      await ask(`${server.url}/keys/${uid}`, 'DELETE');
      const after = await Promise.all(all.map((one) => one.ask('POST', SEARCH, { key, body: {} })));
      expect(after.map(({ status }) => status)).toEqual(all.map(() => 403));
    }
  });

  test('documents, settings, and an index that takes the place of another one, or goes', async () => {
    const server = await withFilms(1);
    const all = await connections(server, N_CONNECTIONS);
    const totals = async (): Promise<number[]> => {
      const answers = await Promise.all(all.map((one) => one.ask('GET', `${SEARCH}?limit=0`)));
      return answers.map(({ text }) => JSON.parse(text).estimatedTotalHits);
    };
    for (let count = 2; count < 2 + ROUNDS; count += 1) {
      await write(server.url, 'POST', '/indexes/films/documents', [film(count)]);
      expect(await totals()).toEqual(all.map(() => count));
    }
    await write(server.url, 'PATCH', '/indexes/films/settings', { filterableAttributes: ['id'] });
    const filtered = await Promise.all(
      all.map((one) => one.ask('POST', SEARCH, { body: { filter: 'id = 2' } })),
    );
    expect(filtered.map(({ status }) => status)).toEqual(all.map(() => 200));
    await write(server.url, 'POST', '/indexes/others/documents', [film(1)]);
    for (let round = 0; round < ROUNDS; round += 1) {
      await write(server.url, 'POST', '/swap-indexes', [{ indexes: ['films', 'others'] }]);
      expect(await totals()).toEqual(all.map(() => (round % 2 === 0 ? 1 : 1 + ROUNDS)));
    }
    await write(server.url, 'DELETE', '/indexes/films');
    const gone = await Promise.all(all.map((one) => one.ask('POST', SEARCH, { body: {} })));
    expect(gone.map(({ text }) => JSON.parse(text).code)).toEqual(all.map(() => 'index_not_found'));
  });

  test('an experimental feature, and those that only one of the loops can serve', async () => {
    const server = await withFilms(1);
    await write(server.url, 'PATCH', '/indexes/films/settings', {
      filterableAttributes: ['title'],
    });
    const all = await connections(server, N_CONNECTIONS);
    const statuses = async (body: object): Promise<number[]> =>
      (await Promise.all(all.map((one) => one.ask('POST', SEARCH, { body })))).map(
        ({ status }) => status,
      );
    const filter = 'title CONTAINS "film"';
    for (let round = 0; round < ROUNDS; round += 1) {
      const isOn = round % 2 === 0;
      const switched = { containsFilter: isOn, network: isOn };
      await ask(`${server.url}/experimental-features`, 'PATCH', switched);
      const expected = all.map(() => (isOn ? 200 : 400));
      expect(await statuses({ filter })).toEqual(expected);
      expect(await statuses({ useNetwork: true })).toEqual(expected);
    }
    await ask(`${server.url}/experimental-features`, 'PATCH', { dynamicSearchRules: true });
    const rule = {
      active: true,
      actions: [{ selector: { id: '0' }, action: { type: 'pin', position: 0 } }],
    };
    await write(server.url, 'PATCH', '/dynamic-search-rules/first', rule);
    expect(await statuses({})).toEqual(all.map(() => 200));
  });
});

describe('requests that another loop has to answer', () => {
  test('bodies of every size are passed on whole, and answers come back', async () => {
    const server = await withFilms(1);
    const all = await connections(server, N_CONNECTIONS);
    for (const [at, one] of all.entries()) {
      const films = Array.from({ length: 20_000 }, (_, id) => film(id + at * 20_000));
      const { status, text } = await one.ask('POST', '/indexes/films/documents', { body: films });
      expect(status).toBe(202);
      const { taskUid } = JSON.parse(text);
      for (;;) {
        const task = JSON.parse((await one.ask('GET', `/tasks/${taskUid}`)).text);
        if (task.status === 'succeeded') break;
        expect(['enqueued', 'processing']).toContain(task.status);
        await delay(10);
      }
      const stats = JSON.parse((await one.ask('GET', '/indexes/films/stats')).text);
      expect(stats.numberOfDocuments).toBe((at + 1) * 20_000);
    }
  });

  test('a body over the limit is refused in the same words by all, and ends the connection', async () => {
    const server = await withFilms(1, '--http-payload-size-limit', '100kB');
    const body = Buffer.alloc(1_000_000, ' ');
    for (const path of [SEARCH, '/indexes/films/documents']) {
      const answers = [];
      for (const one of await connections(server, N_CONNECTIONS)) {
        answers.push(await one.ask('POST', path, { body }));
      }
      for (const { status, headers, text } of answers) {
        expect(status).toBe(413);
        expect(headers.connection).toBe('close');
        expect(text).toBe(answers[0]?.text);
      }
    }
  });

  test('paths and methods that nobody knows, and preflights, are answered alike', async () => {
    const server = await withFilms(1);
    const all = await connections(server, N_CONNECTIONS);
    const asked = [
      ['GET', '/nowhere'],
      ['DELETE', SEARCH],
      ['OPTIONS', SEARCH],
      ['HEAD', '/health'],
      ['GET', '/indexes/films/documents/delete-batch'],
      ['GET', '/indexes/films/documents/fetch'],
      ['GET', '/indexes/films/documents/0'],
      ['GET', '/indexes//films/search/'],
      ['POST', '/indexes/films/documents'],
      ['POST', '/snapshots/'],
    ] as const;
    const varying = new Set(['date', 'content-length', 'keep-alive']);
    for (const [method, path] of asked) {
      const answers = await Promise.all(all.map((one) => one.ask(method, path)));
      const shown = answers.map(({ status, headers }) => ({
        status,
        headers: Object.entries(headers)
          .filter(([name]) => !varying.has(name))
          .sort(),
      }));
      for (const one of shown) expect([path, one]).toEqual([path, shown[0]]);
    }
  });

  test('a stream is told of each change, and ends when its client goes or the server stops', async () => {
    const server = await withFilms(1);
    const headers = { authorization: `Bearer ${MASTER_KEY}` };
    const streams = [];
    for (let at = 0; at < N_CONNECTIONS; at += 1) {
      const sent = request(`${server.url}/tasks/stream`, { headers, agent: false }).end();
      sent.on('error', () => undefined);
      const [response] = await once(sent, 'response');
      streams.push({ sent, response });
    }
    const changes = streams.map(({ response }) => once(response, 'data'));
    await write(server.url, 'POST', '/indexes/films/documents', [film(1)]);
    for (const [data] of await Promise.all(changes))
      expect(String(data)).toContain('"indexUid":"films"');
    const [first, second, ...others] = streams;
    first?.sent.destroy();
    second?.sent.destroy();
    const ends = others.map(({ response }) => once(response.resume(), 'end'));
    await server.stop();
    await Promise.all(ends);
    expect(server.exitCode()).toBe(0);
  });
});

test('requests are counted and logged once, whichever loop answers them', async () => {
  const server = await withFilms(1, '--log-level', 'DEBUG', '--experimental-logs-mode', 'json');
  await ask(`${server.url}/experimental-features`, 'PATCH', { metrics: true });
  const all = await connections(server, N_CONNECTIONS);
  const rounds = Array.from({ length: ROUNDS });
  for (const _ of rounds) {
    for (const one of all) {
      await one.ask('POST', SEARCH, { body: {} });
      await one.ask('GET', '/indexes');
    }
  }
  const headers = { authorization: `Bearer ${MASTER_KEY}` };
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
  const count = ROUNDS * N_CONNECTIONS;
  expect(metrics).toContain(
    `serval_http_requests_total{method="POST",path="/indexes/{index_uid}/search",status="200"} ${count}\n`,
  );
  expect(metrics).toContain(
    `serval_http_requests_total{method="GET",path="/indexes",status="200"} ${count}\n`,
  );
  await server.stop();
  const lines = server.output().split('\n');
  const searches = lines.filter((line) => line.includes('"route":"/indexes/:indexUid/search"'));
  const lists = lines.filter((line) => line.includes('"route":"/indexes"'));
  expect([searches.length, lists.length]).toEqual([count, count]);
  expect(JSON.parse(searches[0] ?? '')).toMatchObject({
    target: 'http',
    level: 'DEBUG',
    status: 200,
  });
});

test('searches of all loops end before the server does', async () => {
  const server = await withFilms(1);
  const body = JSON.stringify({ q: 'film' });
  const sent = [];
  for (let at = 0; at < N_CONNECTIONS; at += 1) {
    const half = request(`${server.url}${SEARCH}`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${MASTER_KEY}`,
        'content-type': 'application/json',
        'content-length': body.length,
        // The answer to it says that the head of the request was taken.
        expect: '100-continue',
      },
    });
    half.flushHeaders();
    await once(half, 'continue');
    sent.push(half);
  }
  const stopped = server.stop();
  while (
    await fetch(`${server.url}/health`).then(
      () => true,
      () => false,
    )
  )
    await delay(10);
  for (const half of sent) {
    half.end(body);
    const [response] = await once(half, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
  }
  await stopped;
  expect(server.exitCode()).toBe(0);
});

test('a loop that dies takes the server with it, which says why', async () => {
  const folder = await newFolder();
  const sign = join(folder, 'die');
  const server = await startServer({
    folder,
    args: ['--http-workers', '2'],
    env: {
      NODE_OPTIONS: `--require ${inRoot('__test__', 'fixtures', 'dying-thread.cjs')}`,
      DIES_WITH: sign,
    },
  });
  onTestFinished(() => server.stop('SIGKILL'));
  expect(server.isRunning()).toBe(true);
  await writeFile(sign, '');
  while (server.isRunning()) await delay(10);
  expect(server.exitCode()).toBe(1);
  expect(server.output()).toContain('the end that the test asked for');
});
