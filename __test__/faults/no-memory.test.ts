import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newFolder, start } from '../server/servers.js';
import { ask, MASTER_KEY, write } from '../server/talk.js';

/** Enough for a request, and too little for the stack of a thread that scripts run on. */
const LITTLE_MEMORY = 64 * 2 ** 20;
const KIBIBYTE = 1024;

/** Bytes of a process that `RLIMIT_DATA` counts. */
function dataOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmData:\s+(\d+)/m.exec(status)?.[1]) * KIBIBYTE;
}

/** Sets what a process may have; whether that is possible here. */
function limit(pid: number, bytes: number | 'unlimited'): boolean {
  return spawnSync('prlimit', ['--pid', `${pid}`, `--data=${bytes}:unlimited`]).status === 0;
}

test('a function is not called broken because there is no memory to compile it', async (context) => {
  const server = await start(await newFolder());
  await write(server.url, 'POST', '/indexes/films/documents', [{ id: 1 }]);
  await ask(`${server.url}/experimental-features`, 'PATCH', { editDocumentsByFunction: true });
  const edit = async () => {
    const response = await fetch(`${server.url}/indexes/films/documents/edit`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ function: 'doc.seen = true' }),
    });
    return { ...((await response.json()) as { code?: string }), status: response.status };
  };
  if (process.platform !== 'linux' || !limit(server.pid, dataOf(server.pid) + LITTLE_MEMORY)) {
    context.skip('the memory of a process cannot be limited here');
  }
  expect(await edit()).toMatchObject({ status: 500, code: 'internal' });
  limit(server.pid, 'unlimited');
  expect((await edit()).status).toBe(202);
});
