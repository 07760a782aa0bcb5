import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { lockFolder } from '../../src/native/archive.js';
import { Serval } from '../../src/serval.js';
import { makeIndexes, newDocuments } from '../faults/held.js';
import { temporaryFolder } from '../faults/temporary-folder.js';
import { ask, MASTER_KEY, write } from '../server/talk.js';
import { serval } from './run-cli.js';

const MINUTE_MS = 60_000;

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

/** Changes a byte of a file for the time of a job. */
async function withChangedByte(path: string, place: number, job: () => Promise<void>) {
  const bytes = readFileSync(path);
  const changed = Buffer.from(bytes);
  changed[place] = (changed[place] ?? 0) ^ 0x11;
  chmodSync(path, 0o600);
  writeFileSync(path, changed);
  await job();
  writeFileSync(path, bytes);
}

describe('serval check', { timeout: 2 * MINUTE_MS }, () => {
  const { path: folder, remove } = temporaryFolder();
  const data = join(folder, 'data.sv');
  let settled: ReadonlySet<string>;

  beforeAll(async () => {
    const server = await startServer({
      folder,
      masterKey: MASTER_KEY,
      args: ['--dump-dir', join(data, 'dumps'), '--snapshot-dir', join(data, 'snapshots')],
    });
    await makeIndexes(server.url);
    await write(server.url, 'POST', '/dumps');
    await write(server.url, 'POST', '/snapshots');
    settled = new Set(filesBelow(data));
    // They wait with their payloads when the server dies.
    const waiting = newDocuments(3000, 'waiting');
    await Promise.all(
      ['films', 'films', 'others'].map((uid) =>
        ask(`${server.url}/indexes/${uid}/documents`, 'POST', waiting),
      ),
    );
    await server.stop('SIGKILL');
  });

  afterAll(remove);

  const check = () => serval(['check', '--db-path', data, '--json']);

  test('finds nothing in an intact folder and refuses one that is in use', async () => {
    const intact = await serval(['check', '--db-path', data]);
    expect(intact).toMatchObject({ code: 0, err: '' });
    expect(intact.out).toMatch(/^\d+ files, none damaged\n$/);
    const lock = lockFolder(data);
    expect(await check()).toMatchObject({ code: 1, out: '' });
    lock();
    expect(await serval(['check', '--db-path', join(folder, 'none')])).toMatchObject({ code: 5 });
  });

  test('names the file in which a byte was changed, of every kind that there is', async () => {
    const kinds = new Map(
      filesBelow(data)
        .filter((path) => !/LOCK$|-shm$|-wal$|\.sqlite$/.test(path))
        // What the killed batch had begun to write is part of nothing.
        .filter((path) => settled.has(path) || !relative(data, path).startsWith('indexes'))
        .map((path) => [extname(path) || basename(path), path]),
    );
    expect([...kinds.keys()].sort()).toEqual([
      ...['.attr', '.doc', '.dump', '.fast', '.fieldnorm', '.fwd', '.idx', '.json', '.ndjson'],
      ...['.pos', '.snapshot', '.statuses', '.store', '.term', '.vectors', '.zdict'],
      ...['CURRENT', 'VERSION'],
    ]);
    for (const path of kinds.values()) {
      await withChangedByte(path, readFileSync(path).length >> 1, async () => {
        const { code, out } = await check();
        const { damaged } = JSON.parse(out) as { damaged: { path: string; indexUid?: string }[] };
        const name = relative(data, path);
        expect({ code, paths: damaged.map((file) => file.path) }).toEqual({
          code: 6,
          paths: [name],
        });
        expect(damaged[0]?.indexUid !== undefined).toBe(name.startsWith('indexes'));
      });
    }
    expect(await check()).toMatchObject({ code: 0 });
  });

  test('names the task store when its pages contradict each other', async () => {
    const path = join(data, 'server.sqlite');
    const pages = readFileSync(path);
    writeFileSync(path, Buffer.from(pages).fill(0x41, 4096, 4096 + 256));
    const { code, out } = await check();
    expect(code).toBe(6);
    expect(JSON.parse(out).damaged[0].path).toBe('server.sqlite');
    writeFileSync(path, pages);
  });

  test('of the embedded interface finds the same while searches go on', async () => {
    await using instance = await Serval.open(data);
    const { files, damaged } = await instance.check();
    expect(damaged).toEqual([]);
    expect(files).toBeGreaterThan(20);
  });
});
