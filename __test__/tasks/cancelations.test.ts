import { expect, test, vi } from 'vitest';
import type { Serval } from '../../src/serval.js';
import { hold, openServal } from './open-serval.js';

/** Holds the next answer of a method of the store; `asked` resolves when it is ready. */
function holdAnswer(db: Serval, method: 'nextBatch' | 'enqueue') {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const original = db.store[method].bind(db.store) as (...args: unknown[]) => Promise<unknown>;
  const asked = new Promise<void>((resolve) => {
    vi.spyOn(db.store, method).mockImplementationOnce((async (...args: unknown[]) => {
      const answer = await original(...args);
      resolve();
      await released;
      return answer;
    }) as never);
  });
  return { release, asked };
}

test('a cancelation that comes between the choice of a batch and its start goes first', async () => {
  const { db, controls } = await openServal();
  const start = holdAnswer(db, 'nextBatch');
  const write = await db.index('movies').addDocuments([{ id: 1 }]);
  await start.asked;
  const cancelation = await db.tasks.cancel({ uids: [write.taskUid] });
  start.release();

  expect(await db.tasks.waitFor(write.taskUid)).toMatchObject({
    status: 'canceled',
    canceledBy: cancelation.taskUid,
  });
  expect((await db.tasks.waitFor(cancelation.taskUid)).details).toMatchObject({ canceledTasks: 1 });
  expect(controls.batches).toEqual([]);
});

test('a batch is not stopped for a cancelation that is not let in yet, to be run once more', async () => {
  const { db, controls } = await openServal();
  const gate = hold(controls);
  const write = await db.index('movies').addDocuments([{ id: 1 }]);
  await gate.reached;
  const answer = holdAnswer(db, 'enqueue');
  const other = db.index('movies').addDocuments([{ id: 2 }]);
  await answer.asked;
  const cancelation = await db.tasks.cancel({ uids: [write.taskUid] });
  gate.release();

  expect((await write.wait()).status).toBe('succeeded');
  expect(controls.batches).toHaveLength(1);
  answer.release();
  expect((await db.tasks.waitFor(cancelation.taskUid)).details).toMatchObject({ canceledTasks: 0 });
  expect((await (await other).wait()).status).toBe('succeeded');
});
