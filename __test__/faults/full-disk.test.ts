import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { fillDisk, smallDisk } from '../../soak/crash/small-disk.mjs';
import { ask, ended, MASTER_KEY, write } from '../server/talk.js';
import { heldBy, makeIndexes, newDocuments } from './held.js';
import { temporaryFolder } from './temporary-folder.js';

const MINUTE_MS = 60_000;
const DISK = '48m';
const FULL = 'no_space_left_on_device';
/** Documents of the index at first, and of each write. */
const FILMS = 200;
const ADDED = 300;
const ROUNDS = 100;

async function send(url: string, path: string, body: unknown) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { taskUid?: number; code?: string };
  return { status: response.status, ...answer };
}

test('a full disk refuses writes by their code, loses nothing, and is left behind when there is room', {
  timeout: 3 * MINUTE_MS,
}, async (context) => {
  const { path: folder, remove } = temporaryFolder();
  const disk = join(folder, 'data.sv');
  const unmount = smallDisk(disk, DISK);
  if (unmount === undefined) {
    remove();
    context.skip('no file system can be mounted here');
  }
  const run = { folder, masterKey: MASTER_KEY, args: ['--snapshot-dir', join(disk, 'snapshots')] };
  let running: Awaited<ReturnType<typeof startServer>> | undefined;
  onTestFinished(async () => {
    await running?.stop('SIGKILL');
    unmount?.();
    remove();
  });
  let server = await startServer(run);
  running = server;
  await makeIndexes(server.url);
  const before = await heldBy(server.url);

  // Uploads: a body that fits into no file.
  const large = newDocuments(20_000, 'too much');
  const makeRoom = fillDisk(disk, 512 * 1024);
  expect(await send(server.url, '/indexes/films/documents', large)).toMatchObject({
    status: 422,
    code: FULL,
  });
  expect(await heldBy(server.url)).toEqual(before);

  // A snapshot that does not fit, though the row of its task does; that it failed is told once
  // there is room to write it down.
  const makeLittleRoom = fillDisk(disk, 24 * 1024, 'more ballast');
  const snapshot = await send(server.url, '/snapshots', {});
  expect([FULL, undefined]).toContain(snapshot.code);
  expect(await heldBy(server.url)).toEqual(before);
  makeLittleRoom();
  if (snapshot.taskUid !== undefined) await ended(server.url, snapshot.taskUid);

  // Batches, until not even the row of a task fits.
  const sent: number[] = [];
  const codes = new Set<string | undefined>();
  for (let round = 0; round < ROUNDS && codes.size === 0; round += 1) {
    const documents = newDocuments(ADDED, 'x');
    const { taskUid, code } = await send(server.url, '/indexes/films/documents', documents);
    if (taskUid === undefined) codes.add(code);
    else sent.push(taskUid);
  }
  expect(server.exitCode()).toBe(null);
  expect((await heldBy(server.url)).others).toEqual(before.others);

  makeRoom();
  const tasks = await Promise.all(sent.map((uid) => ended(server.url, uid)));
  for (const { error } of tasks) if (error !== null) codes.add(error.code);
  expect([...codes]).toEqual([FULL]);
  const nSucceeded = tasks.filter(({ status }) => status === 'succeeded').length;
  const held = await ask<{ total: number }>(`${server.url}/indexes/films/documents`);
  expect(held.total).toBe(FILMS + ADDED * nSucceeded);
  const added = await write(server.url, 'POST', '/indexes/films/documents', newDocuments(50, 'y'));
  const copied = await write(server.url, 'POST', '/snapshots');
  expect([added.status, copied.status]).toEqual(['succeeded', 'succeeded']);
  const after = await heldBy(server.url);
  await server.stop('SIGKILL');
  server = await startServer(run);
  running = server;
  expect(await heldBy(server.url)).toEqual(after);
  expect(await ask(`${server.url}/health`)).toEqual({ status: 'available' });
});
