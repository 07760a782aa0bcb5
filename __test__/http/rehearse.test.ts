import { afterEach, expect, test } from 'vitest';
import { createServer, type ServerOptions } from '../../src/http/create-server.js';
import { rehearse } from '../../src/http/rehearse.js';
import { LogTarget } from '../../src/logs/log-target.js';
import { Logs } from '../../src/logs/logs.js';
import { fakeServices } from './fake-services.js';

const MASTER_KEY = 'a-master-key-of-the-test';
const SEARCH = { method: 'POST', url: '/indexes/films/search', payload: { q: 'star' } } as const;

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

/** A server with the index `films`, what it was asked for, and its log down to each answer. */
async function serverWithFilms(options: Partial<ServerOptions> = {}) {
  const { services, received } = fakeServices();
  const lines: string[] = [];
  const logs = new Logs({
    target: LogTarget.of('debug'),
    mode: 'human',
    write: (line) => void lines.push(line),
  });
  const app = await createServer(services, { payloadSizeLimit: 1024, logs, ...options });
  close = () => app.close();
  const headers =
    options.masterKey === undefined ? {} : { authorization: `Bearer ${options.masterKey}` };
  await app.inject({ method: 'POST', url: '/indexes', payload: { uid: 'films' }, headers });
  lines.length = 0;
  return { app, received, lines, headers };
}

test.each([undefined, MASTER_KEY])(
  'a rehearsal searches an open index, master key %s',
  async (masterKey) => {
    const { app, received } = await serverWithFilms({ masterKey });
    await rehearse(app, { opened: Promise.resolve(['films']), masterKey });
    expect(received.searches).not.toEqual([]);
  },
);

test('a rehearsal is not told of as if a client had asked', async () => {
  const { app, lines } = await serverWithFilms();
  await rehearse(app, { opened: Promise.resolve(['films']), masterKey: undefined });
  expect(lines).toEqual([]);
  await app.inject(SEARCH);
  expect(lines.join()).toContain('/indexes/:indexUid/search');
});

test('no search is rehearsed without an index that is open', async () => {
  const { app, received } = await serverWithFilms();
  await rehearse(app, { opened: Promise.resolve([]), masterKey: undefined });
  expect(received.searches).toEqual([]);
});

test('a server goes on although its rehearsal fails, or never ends', async () => {
  const { app } = await serverWithFilms();
  const failed = Promise.reject(new Error('no index'));
  for (const opened of [failed, Promise.resolve(['nowhere']), new Promise<never>(() => {})]) {
    await rehearse(app, { opened, masterKey: undefined });
  }
  expect((await app.inject(SEARCH)).statusCode).toBe(200);
});
