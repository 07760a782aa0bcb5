import { expect, test } from 'vitest';
import { dataFolder, openServal } from './open-serval.js';

test('a full history forgets its oldest ended tasks', async () => {
  const retention = { maxTasks: 10, atOnce: 4 };
  const { db } = await openServal(dataFolder(), { retention });
  for (let n = 0; n < 12; n++) await (await db.index('movies').addDocuments([{ id: n }])).wait();

  await expect
    .poll(
      async () => (await db.tasks.list({ types: ['taskDeletion'], statuses: ['succeeded'] })).total,
    )
    .toBeGreaterThan(0);
  const deletions = (await db.tasks.list({ types: ['taskDeletion'], reverse: true })).results;
  expect(deletions[0]?.details).toMatchObject({ matchedTasks: 4, deletedTasks: 4 });
  expect(deletions[0]?.details?.originalFilter).toMatch(
    /^\?beforeEnqueuedAt=[^&]+&statuses=succeeded,failed,canceled$/,
  );
  expect(await db.tasks.get(0)).toBeUndefined();
  expect((await db.tasks.list({ types: ['documentAdditionOrUpdate'] })).results[0]?.status).toBe(
    'succeeded',
  );
});

test('a history that is full stays as large, with its batches', { timeout: 120_000 }, async () => {
  const retention = { maxTasks: 40, atOnce: 10 };
  const { db } = await openServal(dataFolder(), { retention });
  for (let round = 0; round < 20; round++) {
    const adding = [0, 1, 2, 3, 4, 5, 6, 7].map((id) => db.index('movies').addDocuments([{ id }]));
    await Promise.all((await Promise.all(adding)).map((task) => task.wait()));
  }
  const nTasks = async () => (await db.tasks.list({ limit: 0 })).total;
  await expect.poll(nTasks, { timeout: 60_000 }).toBeLessThanOrEqual(retention.maxTasks);
  const left = new Set(
    (await db.tasks.list({ limit: 1_000 })).results.map(({ batchUid }) => batchUid),
  );
  const { results } = await db.tasks.listBatches({ limit: 1_000 });
  expect(results.every(({ uid }) => left.has(uid))).toBe(true);
});
