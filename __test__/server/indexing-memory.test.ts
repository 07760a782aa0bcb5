import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newFolder, start } from './servers.js';
import { ask, ended, MASTER_KEY, write } from './talk.js';

const MINUTE_MS = 60_000;
const MIB = 1024;
const LIMIT_MIB = 100;
/** What a server may take beside the memory that it is given for indexing. */
const BESIDE_MIB = 100;
const DOCUMENTS = 400_000;

/** Mebibytes that the process holds, mapped files included. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / MIB;
}

/** Documents whose values are nearly all different, which is what columns and dictionaries like least. */
function lines(): string {
  const all = Array.from({ length: DOCUMENTS }, (_, id) =>
    JSON.stringify({
      id,
      title: `title ${id} of ${id % 977} and ${(id * 7919) % 100_003}`,
      code: `code-${(id * 104_729) % 1_000_003}`,
      price: ((id * 31) % 900_001) / 100,
      _geo: { lat: (id % 170) - 85, lng: (id % 350) - 175 },
    }),
  );
  return all.join('\n');
}

test.skipIf(process.platform !== 'linux')(
  'indexing, merging and changed settings stay within the memory they are given',
  { timeout: 5 * MINUTE_MS },
  async () => {
    const folder = await newFolder();
    const { url, pid } = await start(folder, '--max-indexing-memory', `${LIMIT_MIB}MiB`);
    const settings = {
      filterableAttributes: ['code', 'price', '_geo'],
      sortableAttributes: ['title', 'price'],
    };
    await write(url, 'PATCH', '/indexes/many/settings', settings);
    const idle = memoryOf(pid);
    let peak = 0;
    let isWatching = true;
    const watching = (async () => {
      while (isWatching) {
        peak = Math.max(peak, memoryOf(pid));
        await delay(20);
      }
    })();
    const response = await fetch(`${url}/indexes/many/documents`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/x-ndjson' },
      body: lines(),
    });
    const { taskUid } = (await response.json()) as { taskUid: number };
    expect(await ended(url, taskUid)).toMatchObject({ status: 'succeeded' });
    await write(url, 'PATCH', '/indexes/many/settings', { stopWords: ['of'] });
    await write(url, 'PATCH', '/indexes/many/settings', { distinctAttribute: 'title' });
    isWatching = false;
    await watching;
    const stats = await ask<{ numberOfDocuments: number }>(`${url}/indexes/many/stats`);
    expect(stats.numberOfDocuments).toBe(DOCUMENTS);
    expect(peak - idle).toBeLessThan(LIMIT_MIB + BESIDE_MIB);
  },
);
