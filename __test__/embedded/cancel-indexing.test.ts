import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Serval } from '../../src/serval.js';
import type { BatchProgress } from '../../src/tasks/task.js';
import { dataFolder } from '../tasks/open-serval.js';

type Row = { id: number; title: string };

const N_ROWS = 200_000;

async function* rows(): AsyncGenerator<Row> {
  for (let id = 0; id < N_ROWS; id++) {
    yield { id, title: `title ${id} of the ${id % 977} quiet harbours, told ${id % 13} times` };
  }
}

/** The first progress of the running batch that is as wanted. */
async function progressOf(
  db: Serval,
  isWanted: (progress: BatchProgress) => boolean,
): Promise<BatchProgress> {
  for (;;) {
    const { results } = await db.tasks.listBatches({ statuses: ['processing'] });
    const progress = results[0]?.progress;
    if (progress != null && isWanted(progress)) return progress;
    await delay(5);
  }
}

test('a batch canceled while it indexes many documents leaves the index as it was', async () => {
  const path = dataFolder();
  const db = await Serval.open(path);
  onTestFinished(() => db.close());
  const index = db.index<Row>('harbours');
  await (await index.addDocuments([{ id: 1, title: 'before' }])).wait();
  const write = await index.addDocuments(rows());
  const after = await index.addDocuments([{ id: 2, title: 'after' }]);

  const progress = await progressOf(db, ({ steps }) =>
    steps.some(({ currentStep, finished }) => currentStep === 'document' && finished > 1000),
  );
  expect(progress.steps.map(({ currentStep }) => currentStep)).toEqual([
    'processing tasks',
    'indexing',
    'extracting documents',
    'document',
  ]);
  expect(progress.steps.at(-1)?.total).toBe(N_ROWS);
  expect(progress.percentage).toBeGreaterThan(0);
  expect(progress.percentage).toBeLessThan(100);

  const cancelation = await db.tasks.cancel({ uids: [write.taskUid] }, '?uids=1');
  const canceled = await db.tasks.waitFor(write.taskUid);
  expect(canceled).toMatchObject({
    status: 'canceled',
    canceledBy: cancelation.taskUid,
    details: { receivedDocuments: N_ROWS, indexedDocuments: 0 },
  });
  const { batchUid } = await after.wait();
  expect((await index.getDocuments()).results).toEqual([
    { id: 1, title: 'before' },
    { id: 2, title: 'after' },
  ]);
  const trace = (await db.tasks.getBatch(Number(batchUid)))?.stats.progressTrace ?? {};
  expect(Object.keys(trace)).toContain('processing tasks > indexing > extracting documents');
}, 120_000);
