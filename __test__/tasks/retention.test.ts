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
