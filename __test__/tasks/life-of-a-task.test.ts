import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ApiError as ServalError } from '../../src/errors/api-error.js';
import { hold, openServal } from './open-serval.js';

type Row = { id: number; title?: string };

describe('a write', () => {
  test('is acknowledged, then done, and creates its index', async () => {
    const { db } = await openServal();

    const write = await db.index<Row>('movies').addDocuments([{ id: 1 }, { id: 2 }]);
    expect(Object.keys(write).slice(0, 5)).toEqual([
      'taskUid',
      'indexUid',
      'status',
      'type',
      'enqueuedAt',
    ]);
    expect(write).toMatchObject({ taskUid: 0, indexUid: 'movies', status: 'enqueued' });

    const task = await write.wait();
    expect(task).toMatchObject({
      uid: 0,
      batchUid: 0,
      status: 'succeeded',
      details: { receivedDocuments: 2, indexedDocuments: 2 },
      error: null,
      canceledBy: null,
    });
    expect(task.duration).toMatch(/^P(\d+D)?T[\d.]+S$/);
    expect(await db.indexes.get('movies')).toMatchObject({ uid: 'movies', primaryKey: 'id' });
    expect(await db.index<Row>('movies').getDocument(2)).toEqual({ id: 2 });
  });

  test('of many documents goes through a file that is gone afterwards', async () => {
    const { db, path } = await openServal();
    async function* rows() {
      for (let id = 0; id < 5000; id++) yield { id, title: `a title of some length ${id}` };
    }

    const task = await (await db.index<Row>('movies').addDocuments(rows())).wait();
    expect(task.details).toEqual({ receivedDocuments: 5000, indexedDocuments: 5000 });
    await db.close();
    expect(readdirSync(join(path, 'payloads'))).toEqual([]);
  });

  test('that fails tells why, and leaves the others of its batch alone', async () => {
    const { db, controls } = await openServal();
    const gate = hold(controls);
    await db.index('first').addDocuments([{ id: 1 }]);
    await gate.reached;
    const bad = await db
      .index<object>('movies')
      .addDocuments([{ name: 'x' }], { primaryKey: 'id' });
    const good = await db.index<Row>('movies').addDocuments([{ id: 1 }], { primaryKey: 'id' });
    gate.release();

    await expect(bad.wait()).rejects.toMatchObject({ code: 'missing_document_id' });
    const { batchUid, status } = await good.wait();
    expect(status).toBe('succeeded');
    const failed = await db.tasks.get(bad.taskUid);
    expect(failed).toMatchObject({
      batchUid,
      status: 'failed',
      details: { receivedDocuments: 1, indexedDocuments: 0 },
      error: { code: 'missing_document_id', type: 'invalid_request' },
    });
    const batch = await db.tasks.getBatch(Number(batchUid));
    expect(batch?.stats).toMatchObject({
      totalNbTasks: 2,
      status: { failed: 1, succeeded: 1 },
      types: { documentAdditionOrUpdate: 2 },
      indexUids: { movies: 2 },
    });
    expect(batch?.details).toEqual({ receivedDocuments: 2, indexedDocuments: 1 });
    expect(batch?.batchStrategy).toBe('batched all enqueued tasks');
  });

  test('whose engine breaks fails as internal, and the queue goes on', async () => {
    const { db, controls } = await openServal();
    controls.beforeBatch = () => {
      controls.beforeBatch = () => undefined;
      throw new Error('the disk caught fire');
    };

    const broken = await db.index('movies').addDocuments([{ id: 1 }]);
    await expect(broken.wait()).rejects.toMatchObject({
      code: 'internal',
      message: 'An unexpected crash occurred when processing the task: the disk caught fire',
    });
    await (await db.index('movies').addDocuments([{ id: 1 }])).wait();
  });

  test('on a missing index fails unless it may create it', async () => {
    const { db } = await openServal();
    const error = { code: 'index_not_found', message: 'Index `none` not found.' };
    await expect((await db.index('none').deleteDocument(1)).wait()).rejects.toMatchObject(error);
    await expect((await db.index('none').deleteAllDocuments()).wait()).rejects.toMatchObject(error);
    await expect((await db.index('none').drop()).wait()).rejects.toMatchObject(error);
    const draft = { type: 'settingsUpdate', indexUid: 'none', settings: {} } as const;
    const settings = await db.enqueue({ ...draft, mayCreateIndex: false });
    await expect(settings.wait()).rejects.toMatchObject(error);
    expect(await db.indexes.list(0, 10)).toEqual({ results: [], total: 0 });
  });
});

describe('a running batch', () => {
  test('shows its tasks as processing, with its uid and start', async () => {
    const { db, controls } = await openServal();
    const gate = hold(controls);
    const write = await db.index('movies').addDocuments([{ id: 1 }]);
    await gate.reached;

    const task = await db.tasks.get(write.taskUid);
    expect(task).toMatchObject({ status: 'processing', batchUid: 0, finishedAt: null });
    expect(task?.startedAt).toMatch(/Z$/);
    expect((await db.tasks.list({ statuses: ['processing'] })).total).toBe(1);
    expect((await db.tasks.list({ statuses: ['enqueued'] })).total).toBe(0);
    const [batch] = (await db.tasks.listBatches({ indexUids: ['movies'] })).results;
    expect(batch).toMatchObject({ uid: 0, finishedAt: null, duration: null });
    expect(batch?.stats.status).toEqual({ processing: 1 });
    expect(batch?.progress?.steps[0]?.currentStep).toBe('processing tasks');

    gate.release();
    await write.wait();
    expect((await db.tasks.getBatch(0))?.progress).toBeNull();
  });

  test('is interrupted by a cancelation of it', async () => {
    const { db, controls } = await openServal();
    const gate = hold(controls);
    const write = await db.index('movies').addDocuments([{ id: 1 }]);
    const other = await db.index('movies').addDocuments([{ id: 2 }]);
    await gate.reached;
    const cancelation = await db.tasks.cancel({ uids: [write.taskUid] }, '?uids=0');
    gate.release();

    const canceled = await db.tasks.waitFor(write.taskUid);
    expect(canceled).toMatchObject({
      status: 'canceled',
      canceledBy: cancelation.taskUid,
      details: { receivedDocuments: 1, indexedDocuments: 0 },
    });
    expect(canceled.duration).not.toBeNull();
    expect((await db.tasks.waitFor(cancelation.taskUid)).details).toEqual({
      matchedTasks: 1,
      canceledTasks: 1,
      originalFilter: '?uids=0',
    });
    expect((await other.wait()).status).toBe('succeeded');
  });
});

describe('history', () => {
  test('is forgotten by a deletion of tasks, with the batches left empty', async () => {
    const { db } = await openServal();
    await (await db.index('movies').addDocuments([{ id: 1 }])).wait();
    const deletion = await db.tasks.delete({ indexUids: ['movies'] }, '?indexUids=movies');

    expect((await db.tasks.waitFor(deletion.taskUid)).details).toEqual({
      matchedTasks: 1,
      deletedTasks: 1,
      originalFilter: '?indexUids=movies',
    });
    expect(await db.tasks.get(0)).toBeUndefined();
    expect(await db.tasks.getBatch(0)).toBeUndefined();
    await expect(db.tasks.waitFor(0)).rejects.toMatchObject({ code: 'task_not_found' });
  });

  test('follows the names of swapped and renamed indexes', async () => {
    const { db } = await openServal();
    await (await db.index('a').addDocuments([{ id: 1 }])).wait();
    await (await db.index('b').create('id')).wait();
    await (await db.swapIndexes([['a', 'b']])).wait();
    const typesOf = async (uid: string) =>
      (await db.tasks.list({ indexUids: [uid] })).results.map(({ type }) => type);
    expect(await typesOf('a')).toEqual(['indexCreation']);
    expect(await typesOf('b')).toEqual(['documentAdditionOrUpdate']);
    expect(await db.index('b').getDocument(1)).toEqual({ id: 1 });

    const rename = { type: 'indexUpdate', indexUid: 'b', newIndexUid: 'c' } as const;
    const task = await (await db.enqueue(rename)).wait();
    expect(task.details).toEqual({ primaryKey: null, oldIndexUid: 'b', newIndexUid: 'c' });
    expect(await typesOf('c')).toEqual(['indexUpdate', 'documentAdditionOrUpdate']);
    expect(await typesOf('b')).toEqual(['indexUpdate']);
  });

  test('of a rename changes when the index was changed, and nothing else of it', async () => {
    const { db, path } = await openServal();
    await (await db.index('a').create('id')).wait();
    const before = await db.indexes.get('a');
    const rename = { type: 'indexUpdate', indexUid: 'a', newIndexUid: 'b' } as const;
    await (await db.enqueue(rename)).wait();
    const after = await db.indexes.get('b');
    expect(after).toEqual({ ...before, uid: 'b', updatedAt: after?.updatedAt });
    expect(after?.updatedAt).not.toBe(before?.updatedAt);
    await db.close();
    const { db: again } = await openServal(path);
    expect(await again.indexes.get('b')).toEqual(after);
  });

  test('of swaps names what was missing or taken', async () => {
    const { db } = await openServal();
    await (await db.index('a').create()).wait();
    await (await db.index('b').create()).wait();
    const swap = (indexes: [string, string], rename: boolean) =>
      db.enqueue({ type: 'indexSwap', swaps: [{ indexes, rename }] });
    await expect((await swap(['z', 'y'], false)).wait()).rejects.toMatchObject({
      code: 'index_not_found',
      message: 'Indexes `y`, `z` not found.',
    });
    await expect((await swap(['a', 'b'], true)).wait()).rejects.toMatchObject({
      code: 'index_already_exists',
      message:
        'Cannot rename `a` to `b` as the index already exists. Hint: You can remove `b` first and then do your remove.',
    });
  });
});

describe('the life of an index', () => {
  test('a deletion absorbs the writes that wait before it and removes the files', async () => {
    const { db, path, controls } = await openServal();
    await (await db.index('movies').addDocuments([{ id: 1 }])).wait();
    const gate = hold(controls);
    await db.index('other').addDocuments([{ id: 1 }]);
    await gate.reached;
    const write = await db.index('movies').addDocuments([{ id: 2 }]);
    const drop = await db.index('movies').drop();
    gate.release();

    expect((await drop.wait()).details).toEqual({ deletedDocuments: 1 });
    expect((await write.wait()).details).toEqual({ receivedDocuments: 1, indexedDocuments: 0 });
    expect(await db.indexes.get('movies')).toBeUndefined();
    await db.close();
    expect(readdirSync(join(path, 'indexes'))).toHaveLength(1);
  });

  test('a primary key changes only while there are no documents', async () => {
    const { db } = await openServal();
    const update = (primaryKey: string) =>
      db.enqueue({ type: 'indexUpdate', indexUid: 'movies', primaryKey });
    await (await db.index('movies').create('id')).wait();
    await (await update('sku')).wait();
    expect(await db.indexes.get('movies')).toMatchObject({ primaryKey: 'sku' });
    await (await db.index('movies').addDocuments([{ sku: 1 }])).wait();
    await expect((await update('id')).wait()).rejects.toMatchObject({
      code: 'index_primary_key_already_exists',
      message: 'Index `movies`: Index already has a primary key: `sku`.',
    });
  });

  test('creating it twice fails the second time', async () => {
    const { db } = await openServal();
    const created = await (await db.index('movies').create()).wait();
    const info = await db.indexes.get('movies');
    expect(info?.createdAt).toBe(info?.updatedAt);
    expect(info?.createdAt).toBe(created.finishedAt);
    await expect((await db.index('movies').create()).wait()).rejects.toMatchObject({
      code: 'index_already_exists',
    });
  });
});

describe('a data folder', () => {
  test('is refused to a second instance while it is open', async () => {
    const { path } = await openServal();
    await expect(openServal(path)).rejects.toMatchObject({ code: 'invalid_state' });
  });

  test('says its version and is refused to another one', async () => {
    const { db, path } = await openServal();
    await db.close();
    expect(existsSync(join(path, 'VERSION'))).toBe(true);
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(path, 'VERSION'), '99.0.0');
    await expect(openServal(path)).rejects.toThrow(/database version \(99\.0\.0\)/);
  });
});

describe('the end of a batch', () => {
  test('that the store refuses fails its tasks, and the queue goes on', async () => {
    const { db } = await openServal();
    const finish = vi.spyOn(db.store, 'finishBatch');
    finish.mockRejectedValueOnce(new ServalError('internal', 'a change does not fit'));
    const write = await db.index('movies').addDocuments([{ id: 1 }]);
    await expect(write.wait()).rejects.toMatchObject({ code: 'internal' });
    expect(await db.indexes.get('movies')).toBeUndefined();
    await (await db.index('movies').addDocuments([{ id: 1 }])).wait();
  });

  test('that finds the disk full is stored once there is room', async () => {
    const { db, controls } = await openServal();
    const finish = vi.spyOn(db.store, 'finishBatch');
    finish.mockRejectedValueOnce(new ServalError('no_space_left_on_device', 'no space'));
    const task = await (await db.index('movies').addDocuments([{ id: 1 }])).wait();
    expect(task.status).toBe('succeeded');
    expect(controls.batches).toHaveLength(1);
  });
});
