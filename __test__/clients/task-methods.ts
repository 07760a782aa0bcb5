import { expect } from 'vitest';
import type { MethodCheck } from './method-check.js';

/** A check of every method that reads or changes tasks. */
export const TASK_METHODS: Readonly<Record<string, MethodCheck>> = {
  getTask: async ({ client, index }) => {
    const { taskUid } = await index.addDocuments([]);
    await client.tasks.waitForTask(taskUid);
    expect(await client.tasks.getTask(taskUid)).toMatchObject({ uid: taskUid, error: null });
  },
  getTasks: async ({ client, index }) => {
    const { results } = await client.tasks.getTasks({
      indexUids: [index.uid],
      types: ['documentAdditionOrUpdate'],
      statuses: ['succeeded'],
      afterEnqueuedAt: '2000-01-01T00:00:00Z',
    });
    expect(results).toHaveLength(1);
  },
  getTaskDocuments: async ({ client, index }) => {
    const long = Array.from({ length: 20_000 }, (_, id) => ({ id, title: `film ${id}` }));
    index.addDocuments(long).catch(() => undefined);
    const { taskUid } = await index.addDocuments([{ id: 77, title: 'Waiting' }]);
    expect(await client.tasks.getTaskDocuments(taskUid)).toEqual([{ id: 77, title: 'Waiting' }]);
  },
  waitForTask: async ({ client, index }) => {
    const task = await client.tasks.waitForTask(await index.addDocuments([]));
    expect(task.status).toBe('succeeded');
  },
  waitForTasksIter: async ({ client, index }) => {
    const tasks = await Promise.all([index.addDocuments([]), index.addDocuments([])]);
    let ended = 0;
    for await (const { status } of client.tasks.waitForTasksIter(tasks)) {
      expect(status).toBe('succeeded');
      ended += 1;
    }
    expect(ended).toBe(2);
  },
  waitForTasks: async ({ client, index }) => {
    const tasks = await client.tasks.waitForTasks([await index.addDocuments([])]);
    expect(tasks.map(({ status }) => status)).toEqual(['succeeded']);
  },
  cancelTasks: async ({ client, index }) => {
    const task = await client.tasks.cancelTasks({ indexUids: [index.uid] }).waitTask();
    expect(task).toMatchObject({ status: 'succeeded', type: 'taskCancelation' });
  },
  deleteTasks: async ({ client, index }) => {
    await client.tasks.deleteTasks({ indexUids: [index.uid] }).waitTask();
    expect((await client.tasks.getTasks({ indexUids: [index.uid] })).results).toEqual([]);
  },
};

/** A check of every method that reads batches. */
export const BATCH_METHODS: Readonly<Record<string, MethodCheck>> = {
  getBatch: async ({ client, index }) => {
    const { batchUid } = await index.addDocuments([]).waitTask();
    const batch = await client.batches.getBatch(batchUid ?? -1);
    expect(batch).toMatchObject({ uid: batchUid, stats: { totalNbTasks: 1 } });
  },
  getBatches: async ({ client, index }) => {
    const { results } = await client.batches.getBatches({ indexUids: [index.uid], limit: 1 });
    expect(results).toHaveLength(1);
  },
};
