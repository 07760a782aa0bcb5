import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Serval } from '../../src/serval.js';
import { dataFolder, openServal } from './open-serval.js';

/** Room for some tasks with documents of this size, and not for all of them. */
const MAX_BYTES = 1024 * 1024;
const DOCUMENT = 'x'.repeat(40_000);
const MOST_WRITES = 200;
const MESSAGE =
  'Serval cannot receive write operations because the limit of the task database has been reached. Please delete tasks to continue performing write operations.';

test('a queue that takes too much room refuses writes until there is room again', async () => {
  const path = dataFolder();
  const { db } = await openServal(path, { maxQueueBytes: MAX_BYTES, maxBatchedTasks: 0 });
  const add = (to: Serval, id: number) => to.index('films').addDocuments([{ id, text: DOCUMENT }]);
  let refused: unknown;
  let nTaken = 0;
  while (refused === undefined && nTaken < MOST_WRITES) {
    await add(db, nTaken).then(
      () => {
        nTaken += 1;
      },
      (error: unknown) => {
        refused = error;
      },
    );
  }
  expect(refused).toMatchObject({ code: 'no_space_left_on_device', message: MESSAGE });
  expect(nTaken).toBeGreaterThan(5);
  expect((await db.tasks.list()).total).toBe(nTaken);
  expect((await db.tasks.space()).free).toBe(0);

  // Of documents that are refused nothing stays on disk.
  const many = Array.from({ length: 5 }, (_, id) => ({ id, text: DOCUMENT }));
  await expect(db.index('films').addDocuments(many)).rejects.toMatchObject({
    code: 'no_space_left_on_device',
  });
  expect(readdirSync(join(path, 'payloads'))).toEqual([]);

  // What would make room is taken, unless it selects nothing.
  const nothing = db.tasks.cancel({ uids: [9_999] }, '?uids=9999');
  await expect(nothing).rejects.toMatchObject({ code: 'no_space_left_on_device' });
  await db.tasks.cancel({ statuses: ['enqueued'] }, '?statuses=enqueued');
  await db.close();

  const { db: again } = await openServal(path, { maxQueueBytes: MAX_BYTES });
  await again.tasks.waitFor(nTaken);
  await (await add(again, 0)).wait();
});
