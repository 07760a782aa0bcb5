import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ServalError } from '../../src/index.js';
import { Serval } from '../../src/serval.js';
import type { ServalOptions } from '../../src/serval-options.js';
import { dataFolder } from '../tasks/open-serval.js';

const WRONG: Record<string, unknown> = {
  'memory below nothing': { maxIndexingMemory: -1 },
  'memory in words': { maxIndexingMemory: '1 GB' },
  'half a thread': { maxIndexingThreads: 0.5 },
  'fewer tasks than none': { maxBatchedTasks: -1 },
  'no number of tasks': { maxBatchedTasks: Number.NaN },
  'a feature that there is not': { features: ['bogus'] },
  'a feature that stands alone': { features: 'metrics' },
  'a snapshot every moment': { snapshotEverySeconds: 0 },
  'a folder that is none': { dumpFolder: 5 },
  'a source of neither kind': { importFrom: { kind: 'zip', path: 'x' } },
  'an option that there is not': { maxIndexingMem: 1 },
  'no options at all': null,
};

test.each(Object.keys(WRONG))('%s is refused before anything is made', async (name) => {
  const path = join(dataFolder(), 'new');
  const opening = Serval.open(path, WRONG[name] as ServalOptions);

  await expect(opening).rejects.toMatchObject({ name: 'ServalError', code: 'bad_request' });
  expect(existsSync(path)).toBe(false);
});

test.each([[''], [5], [undefined]])('%j is no path of a data folder', async (path) => {
  await expect(Serval.open(path as string)).rejects.toMatchObject({ code: 'bad_request' });
});

test('an option that is undefined is absent', async () => {
  const options = { maxIndexingMemory: undefined, features: undefined, signal: undefined };
  const db = await Serval.memory(options);
  onTestFinished(() => db.close());
  await (await db.index('books').addDocuments([{ id: 1 }])).wait();
});

test('a folder is open once at a time, and again once it was closed', async () => {
  const path = dataFolder();
  const first = await Serval.open(path);
  const second = await Serval.open(path).catch((error) => error);
  expect(second).toBeInstanceOf(ServalError);
  expect(second).toMatchObject({ code: 'invalid_state' });

  await first.close();
  await (await Serval.open(path)).close();
});
