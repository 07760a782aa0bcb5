import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ROUTE_ACTIONS } from '../http/route-actions.js';
import { PLANTED, plantedIn, serverWithSecrets } from './planted-secrets.js';

const TIMEOUT_MS = 240_000;
/** Never end; they send what `GET /tasks` and `GET /batches` answer. */
const STREAMS = ['/tasks/stream', '/batches/stream'];

/** Where a secret is sent to when it is used. */
const USED = ['/embed', '/rest', '/rerank', '/v1/chat/completions', '/multi-search', '/hook'];

/** What answers to the master key show in clear, as the interface says. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'GET /network': ['remoteSearch', 'remoteWrite'],
  'GET /webhooks': ['hookHeader'],
  'GET /webhooks/{}': ['hookHeader'],
};
const SHOW_KEYS = ['GET /keys', 'GET /keys/{}'];

test.each(['human', 'json'] as const)(
  'in %s form no secret is in the log at its finest level',
  {
    timeout: TIMEOUT_MS,
  },
  async (mode) => {
    const { server, asked, key, answers } = await serverWithSecrets(mode);
    expect(answers.flatMap(plantedIn)).toEqual([]);
    const hears = () => [...USED, '/launched'].filter((path) => !asked.has(path));
    await expect.poll(hears, { timeout: TIMEOUT_MS / 2 }).toEqual([]);
    const toldOf = () => server.output().match(/a webhook was not told/g)?.length ?? 0;
    await expect.poll(toldOf, { timeout: TIMEOUT_MS / 2 }).toBeGreaterThan(1);
    await server.stop();
    const log = server.output();
    expect(log).toMatch(/chats|multi-search/);
    expect(plantedIn(log)).toEqual([]);
    expect(log).not.toContain(key);
  },
);

test('no answer shows a secret but those that the interface shows', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { call, key, hook } = await serverWithSecrets('json');
  const gets = [...ROUTE_ACTIONS.keys()].filter((route) => route.startsWith('GET '));
  expect(gets.length).toBeGreaterThan(30);
  const named = (path: string): string[] => {
    if (path.startsWith('/webhooks')) return [path.replace('{}', hook)];
    if (path.startsWith('/chats')) return [path.replace('{}', 'w')];
    if (path.startsWith('/keys')) return [path.replace('{}', key)];
    if (path.startsWith('/indexes')) {
      return ['films', 'kept'].map((uid) => path.replace('{}', uid).replace('{}', '1'));
    }
    if (!path.includes('{}')) return [path];
    return Array.from({ length: 7 }, (_, uid) => path.replace('{}', String(uid)));
  };
  let answered = 0;
  for (const route of gets) {
    const pattern = route.slice('GET '.length);
    if (STREAMS.includes(pattern)) continue;
    for (const path of named(pattern)) {
      const { status, text } = await call('GET', path);
      if (status === 200) answered += 1;
      const allowed = SHOWN[route] ?? [];
      const found = plantedIn(text).filter((name) => !allowed.includes(name));
      const ofSettings = /\/(settings|tasks|updates|batches)\b/.test(pattern);
      expect([path, found.filter((name) => !(ofSettings && name === 'embedderHeader'))]).toEqual([
        path,
        [],
      ]);
      if (!SHOW_KEYS.includes(route)) expect([path, text.includes(key)]).toEqual([path, false]);
    }
  }
  expect(answered).toBeGreaterThan(30);
  const masked = (await call('GET', '/indexes/kept/settings/embedders')).text;
  expect(JSON.parse(masked).keyed.apiKey).toBe('s3cre'.concat('XXXXXX...'));
});

test('a dump holds what it takes to go on, and neither keys of this server nor of past work', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { server, write, key } = await serverWithSecrets('json');
  const { details } = await write('POST', '/dumps', undefined);
  const file = join(server.folder, 'dumps', `${details.dumpUid}.dump`);
  const content = gunzipSync(await readFile(file)).toString('latin1');
  const { embedder, hook, hookHeader, remoteSearch, remoteWrite, chat } = PLANTED;
  for (const needed of [embedder, hook, hookHeader, remoteSearch, remoteWrite, chat]) {
    expect(content).toContain(needed);
  }
  const needed = ['embedder', 'embedderHeader', 'hook', 'hookHeader'];
  const alsoNeeded = ['remoteSearch', 'remoteWrite', 'chat'];
  const found = plantedIn(content).filter((name) => ![...needed, ...alsoNeeded].includes(name));
  expect(found).toEqual([]);
  expect(content).not.toContain(key);
});
