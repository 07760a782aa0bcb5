import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { crashAfterCommit } from './crash.js';
import { dataFolder, openServal } from './open-serval.js';

describe('after a crash', () => {
  test('a batch that was committed but not noted is not applied again', async () => {
    const path = dataFolder();
    await crashAfterCommit(path);

    const { db, controls } = await openServal(path);
    const task = await db.tasks.waitFor(1);
    expect(task).toMatchObject({
      status: 'succeeded',
      batchUid: 1,
      details: { receivedDocuments: 2, indexedDocuments: 2 },
    });
    expect(controls.batches).toEqual([]);
    expect((await db.tasks.list({})).results.map(({ status }) => status)).toEqual([
      'succeeded',
      'succeeded',
    ]);
    await (await db.index('movies').addDocuments([{ id: 9 }])).wait();
    expect((await db.tasks.get(2))?.batchUid).toBe(2);
  });

  test('a batch that was not committed is run again under the same uid', async () => {
    const path = dataFolder();
    await crashAfterCommit(path, 'before');

    const { db, controls } = await openServal(path);
    const task = await db.tasks.waitFor(1);
    expect(task).toMatchObject({ status: 'succeeded', batchUid: 1 });
    expect(controls.batches).toHaveLength(1);
  });

  test('files that nothing refers to are removed', async () => {
    const { db, path } = await openServal();
    await (await db.index('movies').addDocuments([{ id: 1 }])).wait();
    await db.close();
    mkdirSync(join(path, 'indexes', 'orphan'));
    writeFileSync(join(path, 'payloads', 'orphan.ndjson'), '');

    const again = await openServal(path);
    expect(readdirSync(join(path, 'indexes'))).toHaveLength(1);
    expect(readdirSync(join(path, 'payloads'))).toEqual([]);
    expect(await again.db.index('movies').getDocument(1)).toEqual({ id: 1 });
  });

  test('tasks that wait keep their payload files and are run', async () => {
    const { db, path } = await openServal(dataFolder(), { maxBatchedTasks: 0 });
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id, text: `some longer text ${id}` }));
    const large = await db.index('movies').addDocuments(rows);
    await db.index('movies').addDocuments([{ id: 'small' }]);
    await db.close();

    const again = await openServal(path);
    const task = await again.db.tasks.waitFor(large.taskUid);
    expect(task.details).toEqual({ receivedDocuments: 3000, indexedDocuments: 3000 });
    expect((await again.db.tasks.waitFor(1)).status).toBe('succeeded');
  });
});
