import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { NativeStore } from '../../native/binding.cjs';
import { preparePayload } from '../../src/native/payload.js';
import { Store } from '../../src/native/store.js';
import { dataFolder } from '../tasks/open-serval.js';

const task = (type: string) => ({
  type,
  indexUid: null,
  mentions: [],
  details: undefined,
  content: null,
  customMetadata: undefined,
});

test('writes that wait together are answered in the order of their uids', async () => {
  const store = await Store.open(dataFolder());
  const order: number[] = [];
  const writes = Array.from({ length: 500 }, async () => {
    order.push((await store.enqueue(task('x'), 'payload')).uid);
  });
  await Promise.all(writes);
  expect(order).toEqual(Array.from({ length: 500 }, (_, uid) => uid));
  expect(await store.countTasks()).toBe(500);
  await store.close();
});

test('a closed store answers with an error, and closing it again is harmless', async () => {
  const store = await Store.open(dataFolder());
  await store.close();
  await store.close();
  await expect(store.task(0)).rejects.toMatchObject({ code: 'invalid_state' });
  expect(() => store.setCurrentBatch(null)).not.toThrow();
});

test('calls made before a close are still answered', async () => {
  const store = await Store.open(dataFolder());
  const writes = Array.from({ length: 50 }, () => store.enqueue(task('x'), null));
  await store.close();
  expect(await Promise.all(writes)).toHaveLength(50);
});

test('records of any JSON come back as they were', async () => {
  const store = await Store.open(dataFolder());
  const value = { name: 'clé', list: [1, null, { deep: true }] };
  await store.putRecord('keys', 'b', value);
  await store.putRecord('keys', 'a', null);
  expect(await store.record('keys', 'b')).toEqual(value);
  expect(await store.record('keys', 'none')).toBeUndefined();
  expect(await store.records('keys')).toEqual([
    ['a', null],
    ['b', value],
  ]);
  expect(await store.deleteRecord('keys', 'a')).toBe(true);
  expect(await store.deleteRecord('keys', 'a')).toBe(false);
  await store.close();
});

test('input that cannot be understood is an outcome, never a crash', async () => {
  const opened = await NativeStore.open(dataFolder());
  if ('error' in opened) throw new Error(opened.error.message);
  const store = opened.ok;
  const calls = [store.enqueue('{', null), store.tasks('3'), store.finishBatch('{}')];
  for (const outcome of await Promise.all([...calls, store.tasks('{"unknown":1}')])) {
    expect(outcome).toMatchObject({ error: { code: 'internal' } });
  }
  await store.close();
});

test('a payload that is broken says so and leaves no file', async () => {
  const { readdir, mkdir } = await import('node:fs/promises');
  const folder = dataFolder();
  await mkdir(folder);
  const outPath = `${folder}/out.ndjson`;
  await expect(
    preparePayload({ format: 'json', outPath }, Buffer.from('[{"a":1},')),
  ).rejects.toMatchObject({ code: 'malformed_payload' });
  expect(await readdir(folder)).toEqual([]);
  const prepared = await preparePayload(
    { format: 'csv', delimiter: ';', outPath },
    Buffer.from('id;n:number\n1;2\n'),
  );
  expect(prepared.documents).toBe(1);
  expect(await readdir(folder)).toEqual(['out.ndjson']);
});

test('a worker thread that ends in the middle of its calls takes nothing down', async () => {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { NativeStore } = require(workerData.binding);
    NativeStore.open(workerData.folder).then(async ({ ok }) => {
      parentPort.postMessage('open');
      for (;;) await Promise.all(Array.from({ length: 100 }, () => ok.enqueue('{"type":"x"}', null)));
    });`;
  const binding = new URL('../../native/binding.cjs', import.meta.url).pathname;
  for (let round = 0; round < 3; round++) {
    const workerData = { binding, folder: dataFolder() };
    const worker = new Worker(code, { eval: true, workerData });
    await new Promise((resolve) => worker.once('message', resolve));
    await worker.terminate();
  }
  const store = await Store.open(dataFolder());
  expect((await store.enqueue(task('x'), null)).uid).toBe(0);
  await store.close();
});
