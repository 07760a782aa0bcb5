import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryEngine } from './memory-engine.js';
import { dataFolder, openServal } from './open-serval.js';

async function folderOf(uids: readonly string[]): Promise<string> {
  const { db, path } = await openServal(dataFolder());
  for (const uid of uids) {
    await (await db.index(uid).addDocuments([{ id: 1 }])).wait();
  }
  await db.close();
  return path;
}

test('a few indexes are opened before they are searched, and not again when they are', async () => {
  const path = await folderOf(['a', 'b', 'c']);
  const engine = memoryEngine({ batches: [] });
  const opened: string[] = [];
  const watched = {
    ...engine,
    openIndex: (folder: string) => {
      opened.push(folder);
      return engine.openIndex(folder);
    },
  };
  const { db } = await openServal(path, { engine: watched });
  expect(await db.indexes.openAhead(2)).toHaveLength(2);
  expect(new Set(opened).size).toBe(2);
  for (const uid of ['a', 'b', 'c']) await db.indexes.reader(uid);
  expect(opened).toHaveLength(3);
  expect(new Set(opened).size).toBe(3);
});

test('an index that cannot be opened keeps no other from being opened ahead', async () => {
  const path = await folderOf(['a', 'b']);
  const { db } = await openServal(path);
  for (const { uid, directory } of db.indexes.rows()) {
    if (uid === 'b') rmSync(join(path, 'indexes', directory, 'state.json'));
  }
  expect(await db.indexes.openAhead(9)).toEqual(['a']);
  expect(await db.indexes.reader('a')).toBeDefined();
  await expect(db.indexes.reader('b')).rejects.toThrow();
});
