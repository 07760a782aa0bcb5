import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newFolder, type Server, start } from './servers.js';
import { ask, ended, write } from './talk.js';

/** More than are awake at a time. */
const INDEXES = 450;
const numbers = Array.from({ length: INDEXES }, (_, number) => number);

interface Found {
  readonly hits: { readonly id: number; readonly title: string }[];
}

async function withIndexes(...args: string[]): Promise<Server> {
  const server = await start(await newFolder(), ...args);
  let last = 0;
  for (const number of numbers) {
    const path = `${server.url}/indexes/tenant-${number}/documents`;
    const task = await ask<{ taskUid: number }>(path, 'POST', [
      { id: number, title: `Film of tenant${number}` },
    ]);
    last = task.taskUid;
  }
  await ended(server.url, last);
  return server;
}

const titles = async (server: Server, number: number): Promise<string[]> => {
  const path = `${server.url}/indexes/tenant-${number}/search`;
  const { hits } = await ask<Found>(path, 'POST', { q: `tenant${number}` });
  return hits.map((hit) => hit.title);
};

test('more indexes than may be awake are written to and searched', async () => {
  const server = await withIndexes('--http-workers', '2');
  if (process.platform === 'linux') {
    expect(readdirSync(`/proc/${server.pid}/task`).length).toBeLessThan(80);
    expect(readdirSync(`/proc/${server.pid}/fd`).length).toBeLessThan(100);
  }
  for (const number of numbers) {
    expect(await titles(server, number)).toEqual([`Film of tenant${number}`]);
  }
  const documents = [{ id: 0, title: 'Film of tenant0, again' }];
  await write(server.url, 'POST', '/indexes/tenant-0/documents', documents);
  expect(await titles(server, 0)).toEqual(['Film of tenant0, again']);
  const both = await ask<Found>(`${server.url}/multi-search`, 'POST', {
    federation: {},
    queries: [0, 1].map((number) => ({ indexUid: `tenant-${number}`, q: 'film' })),
  });
  expect(both.hits.map((hit) => hit.id).sort()).toEqual([0, 1]);
  await write(server.url, 'DELETE', '/indexes/tenant-3');
  await expect(titles(server, 3)).rejects.toThrow('index_not_found');
  const stats = await ask<{ indexes: Record<string, { numberOfDocuments: number }> }>(
    `${server.url}/stats`,
  );
  const counts = Object.values(stats.indexes).map((index) => index.numberOfDocuments);
  expect(counts).toEqual(numbers.slice(1).map(() => 1));
});
