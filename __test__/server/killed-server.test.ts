import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';

const ROUNDS = 6;
const COPIES = 40;
const MINUTE_MS = 60_000;

interface FinishedTask {
  uid: number;
  status: string;
  details: { receivedDocuments: number; indexedDocuments: number | null };
}

let folder: string | undefined;
let server: Awaited<ReturnType<typeof startServer>> | undefined;

afterEach(async () => {
  await server?.stop('SIGKILL');
  server = undefined;
});

/** Starts on the data of the last round, if there was one. */
async function start() {
  server = await startServer(folder === undefined ? {} : { folder });
  folder ??= server.folder;
  return server;
}

async function json(url: string, init?: RequestInit): Promise<unknown> {
  return (await fetch(url, init)).json();
}

/** Sends documents under ids of their own; the task's uid once it is acknowledged. */
async function add(url: string, round: number, text: string): Promise<number> {
  const documents = text
    .trim()
    .split('\n')
    .map((line, at) => ({ ...JSON.parse(line), id: `${round}-${at}` }));
  const answer = (await json(`${url}/indexes/films/documents`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(documents),
  })) as { taskUid: number };
  return answer.taskUid;
}

async function finished(url: string, uid: number): Promise<FinishedTask> {
  for (;;) {
    const task = (await json(`${url}/tasks/${uid}`)) as FinishedTask;
    if (!['enqueued', 'processing'].includes(task.status)) return task;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a server killed while it imports loses nothing it acknowledged and applies nothing twice', {
  timeout: 3 * MINUTE_MS,
}, async () => {
  const films = await readFile(inRoot('__test__/fixtures/movies-500.ndjson'), 'utf8');
  const payload = films.repeat(COPIES);
  const perTask = payload.trim().split('\n').length;
  const acknowledged: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { url, stop } = await start();
    acknowledged.push(await add(url, round, payload));
    await new Promise((resolve) => setTimeout(resolve, round * 120));
    await stop('SIGKILL');
  }

  const { url } = await start();
  expect(acknowledged).toEqual([...acknowledged.keys()]);
  for (const uid of acknowledged) {
    expect(await finished(url, uid)).toMatchObject({
      uid,
      status: 'succeeded',
      details: { receivedDocuments: perTask, indexedDocuments: perTask },
    });
  }
  const stats = await json(`${url}/indexes/films/stats`);
  expect(stats).toMatchObject({ numberOfDocuments: perTask * ROUNDS, isIndexing: false });
  const { total } = (await json(`${url}/tasks?limit=1`)) as { total: number };
  expect(total).toBe(ROUNDS);
});
