import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { ask, ended, MASTER_KEY } from '../server/talk.js';
import { CAN_FAIL, FailingCalls } from './failing-calls.js';
import { newDocuments } from './held.js';
import { temporaryFolder } from './temporary-folder.js';

const MINUTE_MS = 60_000;
/** More than is kept in the row of a task. */
const MANY = 3000;
const STORE = 'server.sqlite';
/** What is written goes here first. */
const LOG = 'server.sqlite-wal';

describe.runIf(CAN_FAIL)('a store that has no room', { timeout: 2 * MINUTE_MS }, () => {
  const { path: folder, remove } = temporaryFolder();
  let calls: FailingCalls;
  let server: Awaited<ReturnType<typeof startServer>>;

  const payloads = () => readdirSync(join(folder, 'data.sv', 'payloads'));

  const add = async (): Promise<{ taskUid: number }> => {
    const response = await fetch(`${server.url}/indexes/films/documents`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(newDocuments(MANY, 'x')),
    });
    return (await response.json()) as { taskUid: number };
  };

  beforeAll(async () => {
    calls = new FailingCalls(`${folder}/data.sv/`);
    server = await startServer({ folder, masterKey: MASTER_KEY, env: calls.env });
  });

  afterAll(async () => {
    await server?.stop('SIGKILL');
    calls?.remove();
    remove();
  });

  test('for a task keeps no documents of it either', async () => {
    calls.begin({ calls: ['write'], error: 'ENOSPC', text: STORE, failures: 1 });
    const refused = await add();
    expect(calls.end(), 'the call was made').toBeGreaterThan(0);
    expect(refused).toMatchObject({ code: 'no_space_left_on_device' });
    expect(payloads()).toEqual([]);
  });

  test('for the end of a batch says so in the log, and ends it once there is room', async () => {
    const { taskUid } = await add();
    // The documents take longer to index than this.
    calls.begin({ calls: ['write'], error: 'ENOSPC', text: STORE });
    await vi.waitFor(
      () => expect(server.output()).toMatch(/ERROR tasks: the task queue cannot go on/),
      { timeout: MINUTE_MS },
    );
    calls.end();
    expect((await ended(server.url, taskUid)).status).toBe('succeeded');
    expect((await ask(`${server.url}/indexes/films/stats`)).numberOfDocuments).toBe(MANY);
  });

  test('for the end of a batch keeps the server that follows from no search, and ends it once there is room', async () => {
    const nDocuments = async () =>
      (await ask(`${server.url}/indexes/films/stats`)).numberOfDocuments;
    const before = Number(await nDocuments());
    const nStalls = () =>
      server.output().match(/ERROR tasks: the task queue cannot go on/g)?.length ?? 0;
    const known = nStalls();
    const { taskUid } = await add();
    calls.begin({ calls: ['write'], error: 'ENOSPC', text: LOG });
    await expect.poll(nStalls, { timeout: MINUTE_MS }).toBeGreaterThan(known);
    await server.stop('SIGKILL');
    server = await startServer({ folder, masterKey: MASTER_KEY, env: calls.env });
    expect(await nDocuments()).toBe(before + MANY);
    await expect.poll(nStalls, { timeout: MINUTE_MS }).toBe(1);
    calls.end();
    const { status, details } = await ended(server.url, taskUid);
    expect([status, details?.indexedDocuments]).toEqual(['succeeded', MANY]);
    expect(await nDocuments()).toBe(before + MANY);
  });
});
