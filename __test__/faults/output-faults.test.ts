import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { freePort } from '../../scripts/server-process.mjs';
import { ask, write } from '../server/talk.js';
import { CAN_FAIL, FailingCalls } from './failing-calls.js';
import { temporaryFolder } from './temporary-folder.js';

const MINUTE_MS = 60_000;

/** A server whose output goes where the test says. */
async function startWith(output: number | 'pipe', env: Record<string, string> = {}) {
  const { path: folder, remove } = temporaryFolder();
  const address = `127.0.0.1:${await freePort()}`;
  const child: ChildProcess = spawn(
    process.execPath,
    [inRoot('dist', 'main.js'), '--http-addr', address, '--db-path', join(folder, 'data.sv')],
    { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', output, output] },
  );
  child.stdout?.destroy();
  child.stderr?.destroy();
  onTestFinished(() => {
    child.kill('SIGKILL');
    remove();
  });
  const url = `http://${address}`;
  while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok) {
    expect(child.exitCode, 'the server starts').toBe(null);
    await delay(10);
  }
  return { url, child };
}

/** Writes and searches, each of which says something in the log. */
async function use(url: string, child: ChildProcess): Promise<void> {
  for (let id = 0; id < 5; id += 1) {
    const task = await write(url, 'POST', '/indexes/films/documents', [{ id, title: 'film' }]);
    expect(task.status).toBe('succeeded');
  }
  const { hits } = await ask<{ hits: unknown[] }>(`${url}/indexes/films/search`, 'POST', {
    q: 'f',
  });
  expect(hits.length).toBe(5);
  expect(child.exitCode).toBe(null);
}

describe('a server whose output cannot be written', { timeout: MINUTE_MS }, () => {
  test('works on when nobody reads it any more', async () => {
    const { url, child } = await startWith('pipe');
    await use(url, child);
  });

  test.runIf(process.platform === 'linux')('works on when it goes to a full device', async () => {
    const device = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(device));
    const { url, child } = await startWith(device);
    await use(url, child);
  });

  test.runIf(CAN_FAIL)('writes its log again once there is room', async () => {
    const { path: folder, remove } = temporaryFolder();
    const calls = new FailingCalls(`${folder}/`);
    const path = join(folder, 'log');
    const file = openSync(path, 'a');
    onTestFinished(() => {
      closeSync(file);
      calls.remove();
      remove();
    });
    const { url, child } = await startWith(file, calls.env);
    calls.begin({ calls: ['write'], error: 'ENOSPC', text: 'log' });
    await use(url, child);
    expect(calls.end(), 'the log was written to').toBeGreaterThan(0);
    const before = readFileSync(path, 'utf8');
    await use(url, child);
    expect(readFileSync(path, 'utf8').length).toBeGreaterThan(before.length);
  });
});
