import { expect } from 'vitest';
import type { MethodCheck, Stage } from './method-check.js';

const KEY = { actions: ['search'], indexes: ['*'], expiresAt: null } as const;
const newKey = ({ client }: Stage) =>
  client.createKey({ ...KEY, actions: [...KEY.actions], indexes: [...KEY.indexes] });

/** A check of every method of the client itself, chats and the like apart. */
export const CLIENT_METHODS: Readonly<Record<string, MethodCheck>> = {
  index: async ({ client, index }) => {
    expect((await client.index(index.uid).search('blade')).hits).toMatchObject([{ id: 3 }]);
  },
  getIndex: async ({ client, index }) => {
    expect((await client.getIndex(index.uid)).primaryKey).toBe('id');
  },
  getRawIndex: async ({ client, index }) => {
    expect(await client.getRawIndex(index.uid)).toMatchObject({ uid: index.uid });
  },
  getIndexes: async ({ client, index }) => {
    const { results } = await client.getIndexes({ limit: 1000 });
    expect(results.map(({ uid }) => uid)).toContain(index.uid);
  },
  getRawIndexes: async ({ client }) => {
    expect(await client.getRawIndexes({ limit: 0 })).toMatchObject({ results: [], limit: 0 });
  },
  createIndex: async ({ client }) => {
    const task = client.createIndex('created', { primaryKey: 'key' });
    expect(await task.waitTask()).toMatchObject({ details: { primaryKey: 'key' } });
  },
  updateIndex: async ({ client }) => {
    await client.createIndex('to-update').waitTask();
    await client.updateIndex('to-update', { primaryKey: 'key' }).waitTask();
    expect((await client.getRawIndex('to-update')).primaryKey).toBe('key');
  },
  deleteIndex: async ({ client, index }) => {
    expect(await client.deleteIndex(index.uid).waitTask()).toMatchObject({ status: 'succeeded' });
  },
  deleteIndexIfExists: async ({ client, index }) => {
    expect(await client.deleteIndexIfExists(index.uid)).toBe(true);
    await client.tasks.waitForTask(
      (await client.tasks.getTasks({ limit: 1 })).results[0]?.uid ?? 0,
    );
    await expect(client.getRawIndex(index.uid)).rejects.toThrow(/not found/);
  },
  swapIndexes: async ({ client, index }) => {
    await client.createIndex('to-swap').waitTask();
    await client.swapIndexes([{ indexes: [index.uid, 'to-swap'], rename: false }]).waitTask();
    expect((await client.index('to-swap').getDocuments()).total).toBe(3);
  },
  multiSearch: async ({ client, index }) => {
    const queries = [
      { indexUid: index.uid, q: 'alien' },
      { indexUid: index.uid, q: 'blade' },
    ];
    const { results } = await client.multiSearch({ queries });
    expect(results.map(({ hits }) => hits.length)).toEqual([2, 1]);
    const merged = await client.multiSearch({ federation: { limit: 2 }, queries });
    expect(merged.hits).toHaveLength(2);
  },
  getKeys: async ({ client }) => {
    expect((await client.getKeys({ limit: 1 })).results).toHaveLength(1);
  },
  getKey: async (stage) => {
    const { uid, key } = await newKey(stage);
    expect(await stage.client.getKey(uid)).toMatchObject({ key, actions: ['search'] });
  },
  createKey: async (stage) => {
    expect((await newKey(stage)).key).toMatch(/^[0-9a-f]{64}$/);
  },
  updateKey: async (stage) => {
    const { uid } = await newKey(stage);
    expect(await stage.client.updateKey(uid, { name: 'new' })).toMatchObject({ name: 'new' });
  },
  deleteKey: async (stage) => {
    const { uid } = await newKey(stage);
    await stage.client.deleteKey(uid);
    await expect(stage.client.getKey(uid)).rejects.toThrow(/not found/);
  },
  health: async ({ client }) => {
    expect(await client.health()).toEqual({ status: 'available' });
  },
  isHealthy: async ({ client }) => {
    expect(await client.isHealthy()).toBe(true);
  },
  getStats: async ({ client, index }) => {
    expect((await client.getStats()).indexes[index.uid]).toMatchObject({ numberOfDocuments: 3 });
  },
  getVersion: async ({ client }) => {
    expect((await client.getVersion()).pkgVersion).toMatch(/^\d+\.\d+\.\d+/);
  },
  createDump: async ({ client }) => {
    const task = await client.createDump().waitTask();
    expect(task).toMatchObject({ status: 'succeeded', type: 'dumpCreation' });
  },
  createSnapshot: async ({ client }) => {
    const task = await client.createSnapshot().waitTask();
    expect(task).toMatchObject({ status: 'succeeded', type: 'snapshotCreation' });
  },
  getExperimentalFeatures: async ({ client }) => {
    expect(await client.getExperimentalFeatures()).toMatchObject({ containsFilter: true });
  },
  updateExperimentalFeatures: async ({ client }) => {
    const changed = await client.updateExperimentalFeatures({ metrics: true });
    expect(changed).toMatchObject({ metrics: true, containsFilter: true });
  },
};
