import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, startServer } from '../../scripts/server-process.mjs';
import { loopbackService } from '../loopback-service.js';
import { films, newFolder, type Server, start } from './servers.js';
import { ask, ended, MASTER_KEY, write } from './talk.js';

const MINUTE_MS = 60_000;

/** The servers of these tests are at private addresses. */
const LOCAL = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];

async function startHere(): Promise<Server> {
  return start(await newFolder(), ...LOCAL);
}

async function withFilms(): Promise<Server> {
  const server = await startHere();
  const { url } = server;
  await write(url, 'PATCH', '/indexes/films/settings', {
    filterableAttributes: ['id'],
    stopWords: ['the'],
  });
  await write(url, 'POST', '/indexes/films/documents?primaryKey=id', await films());
  await write(url, 'POST', '/indexes/other/documents', [{ key_id: 1 }]);
  return server;
}

/** Waits until everything that was sent to a server is indexed. */
async function settled(url: string): Promise<void> {
  const path = `${url}/tasks?statuses=enqueued,processing&limit=1`;
  while ((await ask<{ total: number }>(path)).total > 0) await delay(20);
}

/** Everything of an index that an export copies. */
async function content(url: string, uid: string) {
  await settled(url);
  return {
    settings: await ask(`${url}/indexes/${uid}/settings`),
    documents: await ask(`${url}/indexes/${uid}/documents?limit=1000`),
    primaryKey: (await ask<{ primaryKey: string }>(`${url}/indexes/${uid}`)).primaryKey,
  };
}

/** A server of the test's own; its address. */
function serve(
  handle: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void,
): Promise<string> {
  return loopbackService(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    handle(request, Buffer.concat(parts), response);
  });
}

test('an export copies settings, keys of documents and documents to another server', {
  timeout: 2 * MINUTE_MS,
}, async () => {
  const [{ url: from }, { url: to }] = [await withFilms(), await startHere()];
  const task = await write(from, 'POST', '/export', {
    url: to,
    apiKey: MASTER_KEY,
    payloadSize: '50 KiB',
    indexes: { 'fil*': {}, '*': { overrideSettings: true } },
  });
  expect(task).toMatchObject({
    status: 'succeeded',
    details: {
      url: to,
      apiKey: 'maXXXX...',
      payloadSize: '50.00 KiB',
      indexes: {
        films: { filter: null, overrideSettings: false, matchedDocuments: 500 },
        other: { filter: null, overrideSettings: true, matchedDocuments: 1 },
      },
    },
  });
  expect(Object.keys(task.details ?? {})).toEqual(['url', 'apiKey', 'payloadSize', 'indexes']);
  expect(await content(to, 'films')).toEqual(await content(from, 'films'));
  expect(await content(to, 'other')).toEqual(await content(from, 'other'));
});

test('settings of an index that is there are kept unless they are to be replaced', {
  timeout: 2 * MINUTE_MS,
}, async () => {
  const [{ url: from }, { url: to }] = [await withFilms(), await startHere()];
  await write(to, 'PATCH', '/indexes/films/settings', { stopWords: ['kept'] });
  const some = (overrideSettings: boolean) => ({
    url: to,
    apiKey: MASTER_KEY,
    indexes: { films: { filter: 'id < 20000', overrideSettings } },
  });
  const matchedDocuments = (
    await ask<{ total: number }>(`${from}/indexes/films/documents?limit=0&filter=id<20000`)
  ).total;
  expect(matchedDocuments).toBeGreaterThan(0);
  expect(matchedDocuments).toBeLessThan(500);
  const kept = await write(from, 'POST', '/export', some(false));
  expect(kept.details?.indexes).toEqual({
    films: { filter: 'id < 20000', overrideSettings: false, matchedDocuments },
  });
  await settled(to);
  const stopWords = () => ask(`${to}/indexes/films/settings/stop-words`);
  expect(await stopWords()).toEqual(['kept']);
  const { total } = await ask<{ total: number }>(`${to}/indexes/films/documents?limit=0`);
  expect(total).toBe(matchedDocuments);
  await write(from, 'POST', '/export', some(true));
  await settled(to);
  expect(await stopWords()).toEqual(['the']);
});

test('documents come in order, in compressed pieces that keep to the size', {
  timeout: MINUTE_MS,
}, async () => {
  const { url: from } = await withFilms();
  const pieces: string[] = [];
  const authorizations = new Set<string | undefined>();
  const url = await serve((request, body, response) => {
    authorizations.add(request.headers.authorization);
    if (request.url?.endsWith('/documents')) {
      expect(request.headers['content-type']).toBe('application/x-ndjson');
      expect(request.headers['content-encoding']).toBe('gzip');
      pieces.push(gunzipSync(body).toString());
    }
    response.end('{}');
  });
  const export_ = { url, payloadSize: 4000, indexes: { films: {} } };
  expect(await write(from, 'POST', '/export', export_)).toMatchObject({ status: 'succeeded' });
  expect(authorizations).toEqual(new Set([undefined]));
  expect(pieces.length).toBeGreaterThan(20);
  for (const piece of pieces) {
    expect(piece.length <= 4000 || piece.trim().split('\n').length === 1).toBe(true);
  }
  expect(
    pieces
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(await films());
});

test('a busy server is asked again, a refusal ends the task with what it said', {
  timeout: MINUTE_MS,
}, async () => {
  const { url: from } = await withFilms();
  let asked = 0;
  const busy = await serve((_request, _body, response) => {
    asked += 1;
    response.statusCode = asked % 2 === 1 ? 503 : 200;
    response.end('{}');
  });
  const indexes = { other: {} };
  const tried = await write(from, 'POST', '/export', { url: busy, indexes });
  expect(tried).toMatchObject({ status: 'succeeded' });

  const { url: to } = await startHere();
  const refused = await write(from, 'POST', '/export', { url: to, apiKey: 'wrong', indexes });
  expect(refused).toMatchObject({
    status: 'failed',
    details: { url: to, apiKey: 'XXX...', indexes: { other: { overrideSettings: false } } },
    error: { code: 'internal' },
  });
  expect(refused.error?.message).toMatch(
    /^Failed to export documents to remote server invalid_api_key \(auth\): The provided API key is invalid\. <.+#invalid_api_key>$/,
  );
  const nowhere = await write(from, 'POST', '/export', { indexes });
  expect(nowhere.error?.message).toMatch(/`` is not the address of a server/);
  const filtered = { url: to, indexes: { other: { filter: 'nope = 1' } } };
  expect((await write(from, 'POST', '/export', filtered)).status).toBe('failed');
});

test('an export that waits for its target can be canceled, and the queue goes on', {
  timeout: MINUTE_MS,
}, async () => {
  const { url: from } = await withFilms();
  const silent = createTcpServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { taskUid } = await ask<{ taskUid: number }>(`${from}/export`, 'POST', { url });
  await delay(100);
  const canceling = await write(from, 'POST', `/tasks/cancel?uids=${taskUid}`);
  expect(canceling.details).toMatchObject({ canceledTasks: 1 });
  expect(await ended(from, taskUid)).toMatchObject({ status: 'canceled', details: { url } });
  expect(await write(from, 'POST', '/indexes', { uid: 'next' })).toMatchObject({
    status: 'succeeded',
  });
});

test('a server that stops while it exports does not wait for the target, and goes on later', {
  timeout: MINUTE_MS,
}, async () => {
  const first = await withFilms();
  let asked = 0;
  const url = await serve((_request, _body, response) => {
    asked += 1;
    response.statusCode = asked < 3 ? 503 : 200;
    response.end('{}');
  });
  const { taskUid } = await ask<{ taskUid: number }>(`${first.url}/export`, 'POST', {
    url,
    indexes: { other: {} },
  });
  while (asked === 0) await delay(5);
  await first.stop('SIGTERM');
  expect(asked).toBeLessThan(3);
  const second = await start(first.folder, ...LOCAL);
  expect(await ended(second.url, taskUid)).toMatchObject({ status: 'succeeded' });
});

test('a target at a private address is refused unless it is allowed', async () => {
  const server = await start(await newFolder());
  await write(server.url, 'POST', '/indexes/films/documents', [{ id: 1 }]);
  const { taskUid } = await ask<{ taskUid: number }>(`${server.url}/export`, 'POST', {
    url: 'http://127.0.0.1:65530',
  });
  const { status, error } = await ended(server.url, taskUid);
  expect({ status, message: error?.message }).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('Rejected IP'),
  });
});

test('an export goes on when its target is killed in the middle and comes back', {
  timeout: 2 * MINUTE_MS,
}, async () => {
  const from = await withFilms();
  const port = await freePort();
  const folder = await newFolder();
  const startTarget = () => startServer({ folder, port, args: LOCAL, masterKey: MASTER_KEY });
  const first = await startTarget();
  const { url } = first;
  const { taskUid } = await ask<{ taskUid: number }>(`${from.url}/export`, 'POST', {
    url,
    apiKey: MASTER_KEY,
    payloadSize: 2000,
  });
  const documents = `${url}/tasks?types=documentAdditionOrUpdate`;
  while ((await ask<{ total: number }>(documents)).total < 5) await delay(5);
  await first.stop('SIGKILL');
  await delay(50);
  expect(await ask(`${from.url}/tasks/${taskUid}`)).toMatchObject({ status: 'processing' });
  const second = await startTarget();
  onTestFinished(() => second.stop('SIGKILL'));
  expect(await ended(from.url, taskUid)).toMatchObject({ status: 'succeeded', error: null });
  for (const uid of ['films', 'other']) {
    expect(await content(url, uid)).toEqual(await content(from.url, uid));
  }
});
