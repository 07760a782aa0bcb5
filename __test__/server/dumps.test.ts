import { existsSync, readdirSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { films, newFolder, start } from './servers.js';
import { ask, ended, type ShownTask, write } from './talk.js';

const MINUTE_MS = 60_000;

async function sendFilms(url: string, uid: string): Promise<ShownTask> {
  return write(url, 'POST', `/indexes/${uid}/documents?primaryKey=id`, await films());
}

/** Everything that should be the same after a dump was made and imported. */
async function everything(url: string) {
  const indexes = await ask<{ results: { uid: string }[] }>(`${url}/indexes?limit=100`);
  const ofIndexes = await Promise.all(
    indexes.results.map(async ({ uid }) => ({
      settings: await ask(`${url}/indexes/${uid}/settings`),
      documents: await ask(`${url}/indexes/${uid}/documents?limit=1000`),
      search: ((await ask(`${url}/indexes/${uid}/search?q=the&limit=50`)) as { hits: unknown })
        .hits,
    })),
  );
  const keys = await ask(`${url}/keys?limit=100`);
  return { indexes, ofIndexes, keys, features: await ask(`${url}/experimental-features`) };
}

test('what is in a dump is there again after its import, and work goes on', {
  timeout: 3 * MINUTE_MS,
}, async () => {
  const folder = await newFolder();
  const first = await start(folder);
  const { url } = first;
  await write(url, 'PATCH', '/indexes/films/settings', {
    filterableAttributes: ['genres'],
    sortableAttributes: ['title'],
    stopWords: ['a'],
    synonyms: { film: ['movie'] },
  });
  await sendFilms(url, 'films');
  await write(url, 'DELETE', '/indexes/films/documents/2');
  await write(url, 'POST', '/indexes', { uid: 'empty', primaryKey: 'key' });
  await write(url, 'POST', '/indexes', { uid: `l${'o'.repeat(398)}g` });
  await write(url, 'POST', '/indexes', { uid: 'empty' });
  await write(url, 'POST', '/swap-indexes', [{ indexes: ['films', 'empty'] }]);
  await ask(`${url}/experimental-features`, 'PATCH', { containsFilter: true });
  const key = { actions: ['search'], indexes: ['films*'], expiresAt: null, name: 'films' };
  await ask(`${url}/keys`, 'POST', key);
  const before = await everything(url);
  const dump = await write(url, 'POST', '/dumps');
  expect(dump).toMatchObject({ status: 'succeeded' });
  const dumpUid = String(dump.details?.dumpUid);
  expect(dumpUid).toMatch(/^\d{8}-\d{9}$/);
  const file = join(folder, 'dumps', `${dumpUid}.dump`);
  const tasks = await ask<{ results: ShownTask[] }>(`${url}/tasks?limit=100`);
  const batches = await ask<{ results: { uid: number }[] }>(`${url}/batches?limit=100`);
  await first.stop();

  const second = await start(await newFolder(), '--import-dump', file);
  expect(await everything(second.url)).toEqual(before);
  const again = await ask<{ results: ShownTask[] }>(`${second.url}/tasks?limit=100`);
  const without = ({ results }: { results: ShownTask[] }) =>
    results.filter(({ uid }) => uid !== dump.uid);
  expect(without(again)).toEqual(without(tasks));
  expect(again.results[0]).toMatchObject({
    uid: dump.uid,
    status: 'succeeded',
    details: { dumpUid },
  });
  const batchesAgain = await ask<{ results: { uid: number }[] }>(`${second.url}/batches?limit=100`);
  expect(batchesAgain.results).toEqual(batches.results.slice(1));
  const next = await write(second.url, 'POST', '/indexes', { uid: 'new' });
  expect(next).toMatchObject({ uid: dump.uid + 1, status: 'succeeded' });
  await second.stop();
  await expect(start(second.folder, '--import-dump', file)).rejects.toThrow(
    /database already exists at ".*data\.sv", try to delete it or rename it/,
  );
  const third = await start(second.folder, '--import-dump', file, '--ignore-dump-if-db-exists');
  expect((await ask<{ total: number }>(`${third.url}/tasks?limit=1`)).total).toBe(dump.uid + 2);
});

test('tasks that waited when a dump was made are run after its import, with their documents', {
  timeout: 2 * MINUTE_MS,
}, async () => {
  const folder = await newFolder();
  const { url, stop } = await start(folder);
  // A dump goes before what was enqueued earlier, so what follows at once is still waiting.
  const large = Array.from({ length: 20_000 }, (_, id) => ({ id, text: `text number ${id}` }));
  const requests = [
    ask<{ taskUid: number }>(`${url}/indexes/a/documents`, 'POST', large),
    ask<{ taskUid: number }>(`${url}/indexes/b/documents`, 'POST', [{ id: 'x' }]),
    ...Array.from({ length: 20 }, (_, id) =>
      ask<{ taskUid: number }>(`${url}/indexes/c/documents`, 'POST', [{ id }]),
    ),
    ask<{ taskUid: number }>(`${url}/dumps`, 'POST'),
  ];
  const uids = (await Promise.all(requests)).map(({ taskUid }) => taskUid);
  const dump = await ended(url, uids.at(-1) ?? 0);
  await stop();
  const file = join(folder, 'dumps', `${dump.details?.dumpUid}.dump`);

  const second = await start(await newFolder(), '--import-dump', file);
  const { results } = await ask<{ results: ShownTask[] }>(`${second.url}/tasks?limit=100`);
  for (const { uid } of results) {
    expect(await ended(second.url, uid)).toMatchObject({ status: 'succeeded' });
  }
  const { total } = await ask<{ total: number }>(`${second.url}/indexes/a/documents?limit=0`).catch(
    () => ({ total: -1 }),
  );
  const inDump = results.some(({ uid }) => uid === uids[0]);
  expect(total).toBe(inDump ? 20_000 : -1);
});

test('a broken dump leaves no data folder and says what is wrong', {
  timeout: MINUTE_MS,
}, async () => {
  const folder = await newFolder();
  const { url, stop } = await start(folder);
  await sendFilms(url, 'films');
  const dump = await write(url, 'POST', '/dumps');
  await stop();
  const file = join(folder, 'dumps', `${dump.details?.dumpUid}.dump`);
  await truncate(file, 20_000);
  const other = await newFolder();
  await expect(start(other, '--import-dump', file)).rejects.toThrow(
    /cannot be imported: the archive is damaged/,
  );
  expect(readdirSync(other)).toEqual([]);
  await expect(start(other, '--import-dump', join(other, 'none.dump'))).rejects.toThrow(
    /dump doesn't exist at ".*none.dump"/,
  );
  expect(existsSync(join(other, 'data.sv'))).toBe(false);
  const ignoring = await start(
    other,
    '--import-dump',
    join(other, 'none.dump'),
    '--ignore-missing-dump',
  );
  expect(await ask(`${ignoring.url}/health`)).toEqual({ status: 'available' });
});
