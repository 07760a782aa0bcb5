import { expect, test } from 'vitest';
import { hold, openServal } from './open-serval.js';

test('an index hears during its batch that more tasks on it came, and nothing of other tasks', async () => {
  const { db, controls } = await openServal();
  controls.followed = [];
  const gate = hold(controls);
  const first = await db.index('movies').addDocuments([{ id: 1 }]);
  await gate.reached;
  await db.index('books').addDocuments([{ id: 1 }]);
  expect(controls.followed).toEqual([]);
  const second = await db.index('movies').addDocuments([{ id: 2 }]);
  const running = controls.batches[0]?.batchUid;
  expect(controls.followed).toEqual([running]);
  gate.release();

  await first.wait();
  expect((await second.wait()).status).toBe('succeeded');
  await db
    .index('books')
    .addDocuments([{ id: 2 }])
    .then((task) => task.wait());
  expect(controls.followed).toEqual([running]);
});

test('an index hears at the start of a batch that tasks on it were left over', async () => {
  const { db, controls } = await openServal(undefined, { maxBatchedTasks: 2 });
  controls.followed = [];
  const gate = hold(controls);
  await db.index('books').addDocuments([{ id: 1 }]);
  await gate.reached;
  for (const id of [1, 2, 3]) await db.index('movies').addDocuments([{ id }]);
  const last = await db.index('movies').addDocuments([{ id: 4 }]);
  gate.release();

  await last.wait();
  const ofMovies = controls.batches.slice(1).map(({ batchUid }) => batchUid);
  expect(ofMovies).toHaveLength(2);
  expect(controls.followed).toEqual(ofMovies.slice(0, 1));
});
