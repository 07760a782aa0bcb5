import { existsSync, readdirSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newFolder, start } from './servers.js';
import { ask, ended, type ShownTask, write } from './talk.js';

const MINUTE_MS = 60_000;

function documents(from: number, count: number): { id: number; text: string }[] {
  return Array.from({ length: count }, (_, at) => ({ id: from + at, text: `number ${from + at}` }));
}

test('a snapshot taken while writes go on holds everything acknowledged before it, once', {
  timeout: 3 * MINUTE_MS,
}, async () => {
  const folder = await newFolder();
  const { url, stop } = await start(folder);
  const acknowledged: number[] = [];
  let writing = true;
  const writer = (async () => {
    for (let round = 0; writing; round += 1) {
      const body = documents(round * 50, round % 5 === 0 ? 2000 : 50);
      const path = `${url}/indexes/i${round % 3}/documents`;
      const { taskUid } = await ask<{ taskUid: number }>(path, 'POST', body);
      acknowledged.push(taskUid);
      await delay(5);
    }
  })();
  const file = join(folder, 'snapshots', 'data.sv.snapshot');
  for (let round = 0; round < 3; round += 1) {
    await delay(150);
    const before = [...acknowledged];
    const task = await write(url, 'POST', '/snapshots');
    expect(task).toMatchObject({ status: 'succeeded', error: null });
    expect(task).not.toHaveProperty('details');
    expect(statSync(file).mode & 0o777).toBe(0o444);

    const restored = await start(await newFolder(), '--import-snapshot', file);
    const { results } = await ask<{ results: ShownTask[] }>(
      `${restored.url}/tasks?limit=100000&reverse=true`,
    );
    const uids = new Set(results.map(({ uid }) => uid));
    expect(before.filter((uid) => !uids.has(uid))).toEqual([]);
    expect(
      results.filter(({ type }) => type === 'snapshotCreation').map(({ uid }) => uid),
    ).not.toContain(task.uid);
    for (const { uid } of results) {
      expect(await ended(restored.url, uid)).toMatchObject({ status: 'succeeded' });
    }
    const ids = await Promise.all(
      ['i0', 'i1', 'i2'].map(async (uid) => {
        const path = `${restored.url}/indexes/${uid}/stats`;
        return (await ask<{ numberOfDocuments: number }>(path)).numberOfDocuments;
      }),
    );
    expect(Math.min(...ids)).toBeGreaterThan(0);
    const next = await write(restored.url, 'POST', '/indexes', { uid: 'next' });
    expect(next.uid).toBeGreaterThan(Math.max(...uids));
    await restored.stop();
  }
  writing = false;
  await writer;
  await stop();
  expect(readdirSync(join(folder, 'snapshots'))).toEqual(['data.sv.snapshot']);
});

test('a server killed while it makes a snapshot or a dump leaves no rubbish, and makes it later', {
  timeout: 3 * MINUTE_MS,
}, async () => {
  const folder = await newFolder();
  let { url, stop } = await start(folder);
  for (let round = 0; round < 4; round += 1) {
    await write(url, 'POST', '/indexes/i/documents', documents(round * 5000, 5000));
  }
  const uids: number[] = [];
  for (const [round, path] of ['/snapshots', '/dumps', '/snapshots', '/dumps'].entries()) {
    uids.push((await ask<{ taskUid: number }>(`${url}${path}`, 'POST')).taskUid);
    await delay(round * 10);
    await stop('SIGKILL');
    ({ url, stop } = await start(folder));
  }
  for (const uid of uids) expect(await ended(url, uid)).toMatchObject({ status: 'succeeded' });
  await stop();
  const all = await readdir(folder, { recursive: true });
  expect(all.filter((name) => name.endsWith('.part') || name.includes('scratch'))).toEqual([]);
  expect(readdirSync(join(folder, 'snapshots'))).toEqual(['data.sv.snapshot']);
});

test('snapshots are made by themselves at the asked interval', { timeout: MINUTE_MS }, async () => {
  const folder = await newFolder();
  const { url } = await start(folder, '--schedule-snapshot', '1');
  const file = join(folder, 'snapshots', 'data.sv.snapshot');
  while (!existsSync(file)) await delay(20);
  const { results } = await ask<{ results: ShownTask[] }>(`${url}/tasks?types=snapshotCreation`);
  expect(results.length).toBeGreaterThan(0);
});

test('a start from a snapshot refuses what it cannot take, and changes nothing then', {
  timeout: MINUTE_MS,
}, async () => {
  const folder = await newFolder();
  const { url, stop } = await start(folder);
  await write(url, 'POST', '/indexes', { uid: 'a' });
  await write(url, 'POST', '/snapshots');
  const dump = await write(url, 'POST', '/dumps');
  await stop();
  const file = join(folder, 'snapshots', 'data.sv.snapshot');
  await expect(start(folder, '--import-snapshot', file)).rejects.toThrow(
    /database already exists at ".*data\.sv", try to delete it or rename it/,
  );
  const other = await newFolder();
  const dumpFile = join(folder, 'dumps', `${dump.details?.dumpUid}.dump`);
  await expect(start(other, '--import-snapshot', dumpFile)).rejects.toThrow(
    /cannot be imported: it is not a snapshot/,
  );
  await expect(start(other, '--import-dump', file)).rejects.toThrow(/it is not a dump/);
  expect(readdirSync(other)).toEqual([]);
  const there = await start(folder, '--import-snapshot', file, '--ignore-snapshot-if-db-exists');
  expect((await ask<{ total: number }>(`${there.url}/tasks?limit=1`)).total).toBe(3);
  const missing = join(other, 'none');
  await start(other, '--import-snapshot', missing, '--ignore-missing-snapshot');
});
