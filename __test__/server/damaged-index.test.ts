import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { heldByIndex, makeIndexes, newDocuments } from '../faults/held.js';
import { temporaryFolder } from '../faults/temporary-folder.js';
import { start } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

const MINUTE_MS = 60_000;

/** A data folder with two indexes, of which nobody has a hold; the folder of the first one. */
async function dataFolder(): Promise<{ folder: string; indexFolder: string }> {
  const { path: folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const server = await start(folder);
  await makeIndexes(server.url);
  const folders = () => readdirSync(join(folder, 'data.sv/indexes'));
  const before = new Set(folders());
  await write(server.url, 'POST', '/indexes', { uid: 'third' });
  await write(server.url, 'POST', '/indexes/third/documents', newDocuments(300, 'more'));
  await write(server.url, 'POST', '/indexes/third/documents/delete-batch', [10_001, 10_002]);
  const added = folders().find((name) => !before.has(name)) ?? '';
  await server.stop();
  return { folder, indexFolder: join(folder, 'data.sv/indexes', added) };
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

async function refusal(url: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { code, message } = (await response.json()) as { code?: string; message?: string };
  return { status: response.status, code, message };
}

const DAMAGED = { status: 500, code: 'invalid_store_file' };

describe('an index whose files are damaged', { timeout: 3 * MINUTE_MS }, () => {
  test('answers with an error that names it, while everything else works', async () => {
    const { folder, indexFolder } = await dataFolder();
    const [commit = ''] = filesBelow(indexFolder).filter((path) => path.endsWith('meta.json'));
    truncateSync(commit, 100);
    const { url } = await start(folder);

    const refused = await refusal(url, 'POST', '/indexes/third/search', { q: 'more' });
    expect(refused).toMatchObject(DAMAGED);
    expect(refused.message).toMatch(/^Index `third`: /);
    for (const path of ['/documents', '/documents/10005', '/settings', '/stats']) {
      expect(await refusal(url, 'GET', `/indexes/third${path}`), path).toMatchObject(DAMAGED);
    }
    expect((await heldByIndex(url, 'films')).length).toBeGreaterThan(3);
    const { indexes } = await ask<{ indexes: object }>(`${url}/stats`);
    expect(Object.keys(indexes).sort()).toEqual(['films', 'others']);
    const queries = [
      { indexUid: 'films', q: 'film' },
      { indexUid: 'third', q: 'film' },
    ];
    expect(await refusal(url, 'POST', '/multi-search', { queries })).toMatchObject(DAMAGED);
    const added = await write(url, 'POST', '/indexes/third/documents', newDocuments(3, 'x'));
    expect(added).toMatchObject({ status: 'failed', error: { code: 'invalid_store_file' } });
    const other = await write(url, 'POST', '/indexes/others/documents', newDocuments(3, 'x'));
    expect(other.status).toBe('succeeded');
    const dump = await write(url, 'POST', '/dumps');
    expect(dump).toMatchObject({ status: 'failed', error: { code: 'invalid_store_file' } });
  });

  test('can be deleted and made again under its name', async () => {
    const { folder, indexFolder } = await dataFolder();
    rmSync(join(indexFolder, 'CURRENT'));
    const { url } = await start(folder);
    expect(await refusal(url, 'GET', '/indexes/third/documents')).toMatchObject(DAMAGED);
    expect((await write(url, 'DELETE', '/indexes/third')).status).toBe('succeeded');
    const added = await write(url, 'POST', '/indexes/third/documents', newDocuments(3, 'x'));
    expect(added.status).toBe('succeeded');
    const found = await ask<{ total: number }>(`${url}/indexes/third/documents`);
    expect(found.total).toBe(3);
  });

  test('keeps no server from starting when tasks wait for it', async () => {
    const { folder, indexFolder } = await dataFolder();
    const first = await start(folder);
    const body = newDocuments(2000, 'waiting');
    await ask(`${first.url}/indexes/third/documents`, 'POST', body);
    await ask(`${first.url}/indexes/others/documents`, 'POST', body);
    await first.stop('SIGKILL');
    const current = join(indexFolder, readFileSync(join(indexFolder, 'CURRENT'), 'utf8').trim());
    for (const name of readdirSync(current)) {
      if (name.endsWith('.fwd')) truncateSync(join(current, name), 10);
    }
    const { url } = await start(folder);
    for (;;) {
      const waiting = '/tasks?statuses=enqueued,processing';
      const { results } = await ask<{ results: unknown[] }>(`${url}${waiting}`);
      if (results.length === 0) break;
    }
    expect((await ask<{ total: number }>(`${url}/indexes/others/documents`)).total).toBe(2200);
    expect(await refusal(url, 'GET', '/indexes/third/documents')).toMatchObject(DAMAGED);
  });

  test('never ends the process, whichever of its files is destroyed', async () => {
    const { folder, indexFolder } = await dataFolder();
    const intact = `${folder}/intact`;
    cpSync(indexFolder, intact, { recursive: true });
    for (const path of filesBelow(indexFolder)) {
      const about = basename(path);
      const bytes = readFileSync(path);
      const middle = Math.floor(bytes.length / 3);
      writeFileSync(path, bytes.fill(0xff, middle, Math.min(bytes.length, middle + 64)));
      const server = await start(folder);
      const search = { q: 'more film', facets: ['genre'], limit: 100 };
      const { status } = await refusal(server.url, 'POST', '/indexes/third/search', search);
      expect([200, 400, 500], about).toContain(status);
      await write(server.url, 'POST', '/indexes/third/documents/delete-batch', [10_003, 10_200]);
      expect((await heldByIndex(server.url, 'films')).length, about).toBeGreaterThan(3);
      expect(server.exitCode(), about).toBe(null);
      await server.stop('SIGKILL');
      rmSync(indexFolder, { recursive: true });
      cpSync(intact, indexFolder, { recursive: true });
    }
  });
});
