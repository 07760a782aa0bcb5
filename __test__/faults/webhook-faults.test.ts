import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { ask, MASTER_KEY, type ShownTask, write } from '../server/talk.js';
import { CAN_FAIL, FailingCalls } from './failing-calls.js';
import { temporaryFolder } from './temporary-folder.js';

const MINUTE_MS = 60_000;
/** How long is waited for what is going to happen. */
const WAIT = { timeout: MINUTE_MS };
const LETTERS = 'undelivered-reports.ndjson';

describe.runIf(CAN_FAIL)('a webhook that refuses every report', { timeout: 2 * MINUTE_MS }, () => {
  const { path: folder, remove } = temporaryFolder();
  const letters = join(folder, 'data.sv', LETTERS);
  const hook = createServer((request, response) => {
    request.resume();
    answer();
    response.writeHead(404).end();
  });
  let answer: () => void = () => undefined;
  let calls: FailingCalls;
  let server: Awaited<ReturnType<typeof startServer>>;

  const start = () => {
    const { port } = hook.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const args = ['--task-webhook-url', url, '--experimental-allowed-ip-networks', '127.0.0.0/8'];
    return startServer({ folder, masterKey: MASTER_KEY, env: calls.env, args });
  };
  const add = async (id: number): Promise<ShownTask & { batchUid: number }> => {
    const { uid } = await write(server.url, 'POST', '/indexes/films/documents', [{ id }]);
    return ask(`${server.url}/tasks/${uid}`);
  };
  const writtenDown = (): number[] => {
    if (!existsSync(letters)) return [];
    const lines = readFileSync(letters, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as { batchUid: number }).batchUid);
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    calls = new FailingCalls(`${folder}/data.sv/`);
    server = await start();
  });

  afterAll(async () => {
    await server?.stop('SIGKILL');
    calls?.remove();
    hook.close();
    remove();
  });

  test.each([
    ['open', 'EMFILE'],
    ['write', 'ENOSPC'],
    ['write', 'EIO'],
  ] as const)('and a failed %s of their file, %s, cost one line alone', async (call, error) => {
    const before = writtenDown();
    const nSaid = () => server.output().split('could not be written down').length;
    const nSaidBefore = nSaid();
    calls.begin({ calls: [call], error, text: LETTERS, failures: 1 });
    expect((await add(1)).status).toBe('succeeded');
    await expect.poll(nSaid, WAIT).toBeGreaterThan(nSaidBefore);
    expect(calls.end()).toBe(1);
    const second = await add(2);
    await expect.poll(writtenDown, WAIT).toEqual([...before, second.batchUid]);
    expect(server.exitCode()).toBe(null);
  });

  test('and a failed write of how far it was told cost no later report', async () => {
    answer = () => calls.begin({ calls: ['write'], error: 'EIO', text: 'server.sqlite' });
    await add(3).catch(() => undefined);
    await expect.poll(() => calls.seen(), WAIT).toBeGreaterThan(0);
    calls.end();
    answer = () => undefined;
    const next = await add(4);
    expect(next.status).toBe('succeeded');
    await expect.poll(writtenDown, WAIT).toContain(next.batchUid);
    await server.stop('SIGKILL');
    server = await start();
    const last = await add(5);
    await expect.poll(writtenDown, WAIT).toContain(last.batchUid);
    expect(server.exitCode()).toBe(null);
  });
});
