import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { films, newFolder, type Server, start } from './servers.js';
import { ask, ended, MASTER_KEY, type ShownTask, write } from './talk.js';

const QUEUE_OFF = ['--experimental-max-number-of-batched-tasks', '0'];
const ONE_BY_ONE = ['--experimental-max-number-of-batched-tasks', '1'];
/** More bytes than are kept in memory. */
const UNKNOWN = Array.from({ length: 20_000 }, (_, number) => `unknown-${number}`);

const payloads = ({ dataFolder }: Server) => readdirSync(join(dataFolder, 'payloads'));

async function idsOf(url: string): Promise<unknown[]> {
  const { results } = await ask<{ results: { id: unknown }[] }>(
    `${url}/indexes/films/documents?limit=1000&fields=id`,
  );
  return results.map(({ id }) => id);
}

/** A folder with the films, in which the deletion of the first three waits; and the films left. */
async function waitingDeletion(): Promise<{ server: Server; uid: number; left: unknown[] }> {
  const folder = await newFolder();
  const first = await start(folder);
  await write(first.url, 'POST', '/indexes/films/documents?primaryKey=id', await films());
  const [one, two, three, ...left] = await idsOf(first.url);
  await first.stop();

  const server = await start(folder, ...QUEUE_OFF);
  const ids = [one, ...UNKNOWN, String(two), two, { id: three }, Number(three)];
  const path = `${server.url}/indexes/films/documents/delete-batch`;
  const { taskUid } = await ask<{ taskUid: number }>(path, 'POST', ids);
  return { server, uid: taskUid, left };
}

const DONE = {
  status: 'succeeded',
  details: { providedIds: UNKNOWN.length + 5, deletedDocuments: 3, originalFilter: null },
};

test('many ids to delete wait in a file, over a kill, which goes with their task', async () => {
  const { server, uid, left } = await waitingDeletion();
  expect(await ask(`${server.url}/tasks/${uid}`)).toMatchObject({
    details: { providedIds: UNKNOWN.length + 5, deletedDocuments: null, originalFilter: null },
  });
  expect(payloads(server)).toHaveLength(1);
  await server.stop('SIGKILL');

  const second = await start(server.folder);
  expect(await ended(second.url, uid)).toMatchObject(DONE);
  expect(await idsOf(second.url)).toEqual(left);
  expect(payloads(second)).toEqual([]);
});

test('a damaged file of ids fails its task, which then deletes nothing', async () => {
  const { server, uid } = await waitingDeletion();
  const before = await idsOf(server.url);
  await server.stop();
  const [name = ''] = payloads(server);
  appendFileSync(join(server.dataFolder, 'payloads', name), '"broken\n');

  const second = await start(server.folder);
  expect(await ended(second.url, uid)).toMatchObject({
    status: 'failed',
    details: { deletedDocuments: 0 },
  });
  expect(await idsOf(second.url)).toEqual(before);
});

test('many ids to delete that wait come along in a dump', async () => {
  const { server, uid, left } = await waitingDeletion();
  const dump = await ask<{ taskUid: number }>(`${server.url}/dumps`, 'POST');
  await server.stop();
  const second = await start(server.folder, ...ONE_BY_ONE);
  const { details } = await ended(second.url, dump.taskUid);
  await second.stop();

  const file = join(server.folder, 'dumps', `${details?.dumpUid}.dump`);
  const third = await start(await newFolder(), '--import-dump', file);
  expect(await ended(third.url, uid)).toMatchObject(DONE);
  expect(await idsOf(third.url)).toEqual(left);
});

test('long lists of ids are refused like short ones, and leave no file', async () => {
  const server = await start(await newFolder());
  const send = async (body: string, query = '') => {
    const response = await fetch(`${server.url}/indexes/films/documents/delete-batch${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
      body,
    });
    return { status: response.status, answer: (await response.json()) as ShownTask };
  };
  const blank = ' '.repeat(100_000);
  for (const body of ['[1, 2,]', '["\\ud800"]', '[1e999]', '{"a": 1}', '"doggo"', 'null']) {
    const short = await send(body);
    expect(short).toMatchObject({ status: 400 });
    expect(await send(`${body}${blank}`)).toEqual(short);
  }
  const refused = await send(JSON.stringify(UNKNOWN), '?unknown=1');
  expect(refused).toMatchObject({ status: 400, answer: { code: 'bad_request' } });
  expect(payloads(server)).toEqual([]);
});
