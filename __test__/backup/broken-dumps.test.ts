import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImportError } from '../../src/backup/import-error.js';
import { Serval } from '../../src/serval.js';
import { randomFrom } from '../tasks/random.js';

const ROUNDS = 120;
const BLOCK = 512;

let folder: string;
let dump: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serval-broken-'));
  dump = await makeDump();
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A dump of an instance with everything that a dump can hold, uncompressed. */
async function makeDump(): Promise<Buffer> {
  const path = join(folder, 'source');
  let db = await Serval.open(path);
  await db.index('books').updateSettings({ filterableAttributes: ['year'] });
  await (await db.index('books').addDocuments([{ id: 1, title: 'One', year: 1999 }])).wait();
  await db.features.set({ metrics: true });
  const webhook = { url: 'http://localhost', headers: {} };
  await db.store.putRecord('webhooks', '7a2b3c4d-1e5f-4a6b-9c8d-0e1f2a3b4c34', webhook);
  await db.store.putRecord('chats', 'a chat', { source: 'x' });
  await db.store.putRecord('something', 'else', [1, 2]);
  await db.close();
  // The dump is made before these: it comes first of what is there when the queue goes on.
  db = await Serval.open(path, { maxBatchedTasks: 0 });
  await db.index('books').addDocuments([{ id: 2, title: 'Two' }]);
  await db.index('books').addDocuments([{ id: 3, title: 'x'.repeat(70_000) }]);
  await db.index('books').deleteDocuments(['1']);
  await db.swapIndexes([['books', 'films']]);
  await db.index('books').updateSettings({ stopWords: ['a'] });
  const { taskUid } = await db.createDump();
  await db.close();
  db = await Serval.open(path, { maxBatchedTasks: 1 });
  const task = await db.tasks.waitFor(taskUid);
  await db.close();
  expect(task.status).toBe('succeeded');
  return gunzipSync(readFileSync(join(path, 'dumps', `${task.details?.dumpUid}.dump`)));
}

/** Starts of the entries of an uncompressed archive, with the sizes of their contents. */
function entries(archive: Buffer): { start: number; size: number; path: string }[] {
  const found: { start: number; size: number; path: string }[] = [];
  for (let start = 0; archive[start] !== 0; ) {
    const size = Number.parseInt(archive.toString('latin1', start + 124, start + 135), 8);
    const path = archive.toString('utf8', start, start + 100).replace(/\0.*$/s, '');
    found.push({ start, size, path });
    start += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
}

/** Opens an instance from an archive; nothing but a whole data folder may be left afterwards. */
async function outcome(archive: Buffer): Promise<unknown> {
  const round = mkdtempSync(join(folder, 'round-'));
  const file = join(round, 'a.dump');
  writeFileSync(file, archive);
  const inside = join(round, 'inside');
  mkdirSync(inside);
  const path = join(inside, 'data.sv');
  try {
    const db = await Serval.open(path, {
      importFrom: { kind: 'dump', path: file },
      maxBatchedTasks: 0,
    });
    await db.close();
    expect(readdirSync(path).sort()).toEqual(expect.arrayContaining(['VERSION', 'server.sqlite']));
    expect(readdirSync(path)).not.toContain('import.part');
    return undefined;
  } catch (error) {
    expect(readdirSync(inside)).toEqual([]);
    return error;
  } finally {
    expect(readdirSync(round).sort()).toEqual(['a.dump', 'inside']);
    rmSync(round, { recursive: true, force: true });
  }
}

test('the dump itself holds waiting tasks, and is imported', async () => {
  const paths = entries(dump).map(({ path }) => path);
  expect(paths.filter((path) => path.startsWith('tasks/update_files/'))).toHaveLength(2);
  expect(await outcome(gzipSync(dump))).toBeUndefined();
});

test('a mutated dump is imported whole or refused with a reason, and leaves nothing behind', {
  timeout: 180_000,
}, async () => {
  const { below: pick } = randomFrom(7);
  const all = entries(dump);
  let nRefused = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const mutated = Buffer.from(dump);
    const { start, size } = all[pick(all.length)] as (typeof all)[number];
    const kind = pick(4);
    // Most of what a dump says is in the contents; headers are tried apart, in Rust.
    for (let flips = 0; flips <= pick(3) && size > 0; flips += 1) {
      const at = start + BLOCK + pick(Math.min(size, 2000));
      mutated[at] = kind === 0 ? pick(256) : '0123456789"{}[],:nulltrue-.\n'.charCodeAt(pick(28));
    }
    if (kind === 1) mutated.copyWithin(start + BLOCK, start + BLOCK + pick(Math.max(size, 1)));
    let archive = gzipSync(mutated, { level: 1 });
    if (kind === 2) archive[pick(archive.length)] = pick(256);
    if (kind === 3) archive = archive.subarray(0, archive.length - pick(40));
    const error = await outcome(archive);
    if (error === undefined) continue;
    nRefused += 1;
    expect(error).toBeInstanceOf(ImportError);
  }
  expect(nRefused).toBeGreaterThan(ROUNDS / 4);
});

test('each part of a dump that is missing or of another kind is named', {
  timeout: 60_000,
}, async () => {
  for (const { start, size, path } of entries(dump)) {
    if (!/\.jsonl?$/.test(path) || size === 0) continue;
    const mutated = Buffer.from(dump);
    mutated.fill('[', start + BLOCK, start + BLOCK + size);
    const error = await outcome(gzipSync(mutated, { level: 1 }));
    expect(error, path).toBeInstanceOf(ImportError);
    expect((error as Error).message).toContain(path);
  }
});
