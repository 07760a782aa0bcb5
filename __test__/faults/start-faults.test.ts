import { afterEach, describe, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { ask, MASTER_KEY } from '../server/talk.js';
import { CAN_FAIL, type Choice, FailingCalls } from './failing-calls.js';
import { temporaryFolder } from './temporary-folder.js';

const MINUTE_MS = 60_000;
const DEFAULT_KEYS = 4;
/** More calls than a start makes on the files of the store. */
const MOST_CALLS = 300;

/** Faults of a first start, by what fails. */
const FAULTS: readonly [about: string, choice: Choice][] = [
  ['the version', { calls: ['open'], error: 'ENOSPC', text: 'VERSION' }],
  ['the version', { calls: ['write'], error: 'ENOSPC', text: 'VERSION' }],
  ['the version', { calls: ['rename'], error: 'EIO', text: 'VERSION' }],
  ['the task store', { calls: ['open'], error: 'EMFILE', text: 'server.sqlite' }],
  ['the task store', { calls: ['write'], error: 'ENOSPC', text: 'server.sqlite' }],
  ['the task store', { calls: ['sync'], error: 'EIO', text: 'server.sqlite' }],
];

describe.runIf(CAN_FAIL)('a first start that fails', { timeout: 10 * MINUTE_MS }, () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** A folder in which calls can fail, and a start there. */
  function place() {
    const { path: folder, remove } = temporaryFolder();
    const calls = new FailingCalls(`${folder}/data.sv/`);
    cleanups.push(remove, () => calls.remove());
    const start = async () => {
      const server = await startServer({ folder, masterKey: MASTER_KEY, env: calls.env });
      cleanups.push(() => server.stop('SIGKILL'));
      return server;
    };
    return { calls, start };
  }

  const keys = async (url: string): Promise<number> =>
    (await ask<{ total: number }>(`${url}/keys`)).total;

  test.each(FAULTS)('at %s, %j, is one that can be tried again', async (_, choice) => {
    const { calls, start } = place();
    calls.begin(choice);
    await expect(start()).rejects.toThrow(/it exited with 1/);
    expect(calls.end(), 'the call was made').toBeGreaterThan(0);
    const server = await start();
    expect(await keys(server.url)).toBe(DEFAULT_KEYS);
  });

  test('at whichever write of the store, is one whose successor has all it needs', async () => {
    for (let skipped = 0; skipped < MOST_CALLS; skipped += 3) {
      const { calls, start } = place();
      calls.begin({
        calls: ['write', 'sync'],
        error: 'EIO',
        text: 'server.sqlite',
        skipped,
        failures: 1,
      });
      const first = await start().catch(() => undefined);
      const seen = calls.end();
      await first?.stop('SIGKILL');
      const second = await start();
      expect(await keys(second.url), `call ${skipped + 1}`).toBe(DEFAULT_KEYS);
      await second.stop('SIGKILL');
      if (seen <= skipped) return;
    }
    throw new Error('a start makes fewer calls than that');
  });
});
