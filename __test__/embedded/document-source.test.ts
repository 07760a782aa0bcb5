import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openServal } from '../tasks/open-serval.js';

describe('documents are taken from', () => {
  const rows = [{ id: 1 }, { id: 2 }];
  const lines = '{"id":1}\n{"id":2}\n';

  test.each([
    ['an array', () => rows],
    ['an iterable', () => new Set(rows)],
    ['a stream of objects', () => Readable.from(rows)],
    ['a stream of bytes', () => Readable.from([Buffer.from(lines.slice(0, 5)), lines.slice(5)])],
    ['a web stream', () => Readable.toWeb(Readable.from(rows)) as ReadableStream<{ id: number }>],
    ['a web stream of bytes', () => new Blob([lines]).stream() as ReadableStream<Uint8Array>],
  ])('%s', async (_name, source) => {
    const { db } = await openServal();
    const task = await (await db.index<{ id: number }>('rows').addDocuments(source())).wait();
    expect(task.details).toEqual({ receivedDocuments: 2, indexedDocuments: 2 });
  });

  test('bytes of another format', async () => {
    const { db } = await openServal();
    const source = Readable.from([Buffer.from('id|name\n1|x\n')]);
    const format = { format: 'csv', delimiter: '|' } as const;
    await (await db.index('rows').addDocuments(source, { format })).wait();
    expect(await db.index('rows').getDocument(1)).toEqual({ id: '1', name: 'x' });
  });

  test('nothing at all, which creates the index', async () => {
    const { db } = await openServal();
    const task = await (await db.index('rows').addDocuments([])).wait();
    expect(task.details).toEqual({ receivedDocuments: 0, indexedDocuments: 0 });
    expect(await db.indexes.get('rows')).toMatchObject({ primaryKey: null });
  });

  test('a source that fails, of which nothing is kept', async () => {
    const { db, path } = await openServal();
    async function* broken() {
      for (let id = 0; id < 5000; id++) yield { id, text: 'some text that fills memory' };
      throw new Error('the network went away');
    }
    await expect(db.index('rows').addDocuments(broken())).rejects.toThrow('the network went away');
    expect(await readdir(`${path}/payloads`)).toEqual([]);
    expect((await db.tasks.list({})).total).toBe(0);
  });

  test('a source whose end its caller refuses, of which nothing is kept', async () => {
    const { db, path } = await openServal();
    const all = Array.from({ length: 5000 }, (_, id) => ({
      id,
      text: 'some text that fills memory',
    }));
    const onProgress = ({ documents }: { documents: number }) => {
      if (documents === all.length) throw new Error('these were too many');
    };
    const refused = db.index('rows').addDocuments(all, { onProgress });
    await expect(refused).rejects.toThrow('these were too many');
    expect(await readdir(`${path}/payloads`)).toEqual([]);
    expect((await db.tasks.list({})).total).toBe(0);
  });
});

describe('reading', () => {
  test('an index that does not exist is refused', async () => {
    const { db } = await openServal();
    await expect(db.index('none').search('x')).rejects.toMatchObject({ code: 'index_not_found' });
    await expect(db.index('none').stats()).rejects.toMatchObject({ code: 'index_not_found' });
  });

  test('a document that does not exist is refused', async () => {
    const { db } = await openServal();
    await (await db.index('rows').create()).wait();
    await expect(db.index('rows').getDocument(1)).rejects.toMatchObject({
      code: 'document_not_found',
    });
  });
});

test('a wait can be given up', async () => {
  const { db } = await openServal(undefined, { maxBatchedTasks: 0 });
  const write = await db.index('rows').create();
  await expect(write.wait({ timeoutMs: 10 })).rejects.toMatchObject({ name: 'TimeoutError' });
  await expect(write.wait({ signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
});
