import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Serval } from '../../src/serval.js';

const CLOSED = { code: 'invalid_state', message: 'The instance is closed.' };

/** What a promise comes to, unless it never does. */
const settled = (promise: Promise<unknown>): Promise<unknown> =>
  Promise.race([promise.catch((error) => error), delay(10_000, 'never settled')]);

test('whoever waits for a task hears that the instance was closed', async () => {
  const db = await Serval.memory({ maxBatchedTasks: 0 });
  const task = await db.index('books').addDocuments([{ id: 1 }]);
  const limits = [undefined, { timeoutMs: 60_000 }, { timeoutMs: Number.MAX_SAFE_INTEGER }];
  const waiting = [...limits.map((limit) => task.wait(limit)), db.tasks.waitFor(task.taskUid)];
  for (const one of waiting) one.catch(() => undefined);
  await db.close();

  for (const one of waiting) expect(await settled(one)).toMatchObject(CLOSED);
});

test('a task of the batch that runs while the instance is closed ends first', async () => {
  const db = await Serval.memory();
  const documents = Array.from({ length: 5000 }, (_, id) => ({ id, text: `some words ${id}` }));
  const started = new Promise<void>((resolve) => {
    db.tasks.events.subscribe(({ kind }) => kind === 'started' && resolve());
  });
  const waiting = (await db.index('books').addDocuments(documents)).wait();
  await started;
  await db.close();

  expect(await settled(waiting)).toMatchObject({ status: 'succeeded' });
});

test('a closed instance says so, whatever is asked of it', async () => {
  const db = await Serval.memory();
  const books = db.index('books');
  await (await books.addDocuments([{ id: 1, title: 'Dune' }])).wait();
  await db.close();
  await db.close();

  const large = Array.from({ length: 3000 }, (_, id) => ({ id, title: `a title ${id}` }));
  const asked: Record<string, () => Promise<unknown>> = {
    search: () => books.search('dune'),
    'search of no index': () => db.index('none').search('x'),
    addDocuments: () => books.addDocuments([{ id: 2 }]),
    'addDocuments by a file': () => books.addDocuments(large),
    deleteDocuments: () => books.deleteDocuments([1]),
    getDocument: () => books.getDocument(1),
    documents: () => books.documents().next(),
    settings: () => books.settings(),
    updateSettings: () => books.updateSettings({ stopWords: ['the'] }),
    stats: () => books.stats(),
    create: () => db.index('others').create(),
    federatedSearch: () => db.federatedSearch([books.query('dune')]),
    'tasks.list': () => db.tasks.list(),
    'tasks.waitFor': () => db.tasks.waitFor(0),
    'tasks.cancel': () => db.tasks.cancel({ uids: [0] }),
    'indexes.list': () => db.indexes.list(0, 1),
    'indexes.get': () => db.indexes.get('books'),
    'features.set': () => db.features.set({ metrics: true }),
    dump: () => db.dump(),
    check: () => db.check(),
  };
  for (const [name, ask] of Object.entries(asked)) {
    const error = (await ask().catch((reason) => reason)) as { code: string; message: string };
    expect([name, error.code, error.message]).toEqual([
      name,
      'invalid_state',
      expect.stringContaining(CLOSED.message),
    ]);
  }
});

test('what listens to progress ends the waiting by what it throws, at any time', async () => {
  const db = await Serval.memory({ maxBatchedTasks: 0 });
  onTestFinished(() => db.close());
  const task = await db.index('books').addDocuments([{ id: 1 }]);
  const waiting = task.wait({
    onProgress: () => {
      throw new Error('seen enough');
    },
  });

  expect(await settled(waiting)).toMatchObject({ message: 'seen enough' });
});

test('errors bear the names by which programs know them', async () => {
  const db = await Serval.memory();
  onTestFinished(() => db.close());
  const none = db.index('none');
  const refused = await none.search('x').catch((error) => error);
  const failed = await (await none.resetSettings()).wait().catch((error) => error);

  expect(refused).toMatchObject({ name: 'ServalError', code: 'index_not_found' });
  expect(failed).toMatchObject({ name: 'TaskFailedError', code: 'index_not_found' });
});

test('one signal may stand for many calls at a time, without a warning', async () => {
  const db = await Serval.memory();
  onTestFinished(() => db.close());
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const { signal } = new AbortController();
  const books = db.index('books');
  const writes = Array.from({ length: 20 }, (_, id) => books.addDocuments([{ id }], { signal }));
  await Promise.all((await Promise.all(writes)).map((task) => task.wait({ signal })));
  await Promise.all(writes.map(() => books.search('x', { signal })));
  await delay(10);

  expect(warnings).toEqual([]);
});

test('a folder whose opening was given up is not held', async () => {
  const db = await Serval.memory();
  onTestFinished(() => db.close());
  const path = `${db.folder.path}-other`;
  const giving = new AbortController();
  const opening = Serval.open(path, { signal: giving.signal });
  giving.abort(new Error('no more'));
  await expect(opening).rejects.toThrow('no more');

  await (await Serval.open(path)).close();
  expect(existsSync(path)).toBe(true);
});
