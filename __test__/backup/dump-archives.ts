import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { Serval } from '../../src/serval.js';

/** Bytes that the parts of an archive are multiples of. */
export const BLOCK = 512;

/** A dump of an instance with everything that a dump can hold, uncompressed. */
export async function makeDump(folder: string): Promise<Buffer> {
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
export function entries(archive: Buffer): { start: number; size: number; path: string }[] {
  const found: { start: number; size: number; path: string }[] = [];
  for (let start = 0; archive[start] !== 0; ) {
    const size = Number.parseInt(archive.toString('latin1', start + 124, start + 135), 8);
    const path = archive.toString('utf8', start, start + 100).replace(/\0.*$/s, '');
    found.push({ start, size, path });
    start += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
}

/**
 * Opens an instance from an archive, and `use`s it; nothing but a whole data folder may be left
 * afterwards, and nothing outside of it.
 */
export async function outcome(
  folder: string,
  archive: Buffer,
  use: (db: Serval) => Promise<void> = () => Promise.resolve(),
): Promise<unknown> {
  const round = mkdtempSync(join(folder, 'round-'));
  const file = join(round, 'a.dump');
  writeFileSync(file, archive);
  const inside = join(round, 'inside');
  mkdirSync(inside);
  const path = join(inside, 'data.sv');
  try {
    let db: Serval;
    try {
      const importFrom = { kind: 'dump', path: file } as const;
      db = await Serval.open(path, { importFrom, maxBatchedTasks: 0 });
    } catch (error) {
      expect(readdirSync(inside)).toEqual([]);
      return error;
    }
    await db.close();
    expect(readdirSync(path).sort()).toEqual(expect.arrayContaining(['VERSION', 'server.sqlite']));
    expect(readdirSync(path)).not.toContain('import.part');
    await using again = await Serval.open(path, { maxBatchedTasks: 0 });
    await use(again);
    return undefined;
  } finally {
    expect(readdirSync(round).sort()).toEqual(['a.dump', 'inside']);
    expect(readdirSync(inside)).toEqual(readdirSync(inside).length === 0 ? [] : ['data.sv']);
    rmSync(round, { recursive: true, force: true });
  }
}
