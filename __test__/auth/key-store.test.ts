import { expect, test } from 'vitest';
import type { NewKey } from '../../src/auth/api-key.js';
import { ApiKeys } from '../../src/auth/api-keys.js';
import { KeyStore } from '../../src/auth/key-store.js';
import { dataFolder, openServal } from '../tasks/open-serval.js';
import { memoryRecords } from './memory-records.js';

const newKey = (uid: string): NewKey => ({
  uid,
  name: 'a key',
  description: null,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: null,
});
const UID = '5e1f0c2a-7b3d-4e6f-8a9b-0c1d2e3f4001';

test('a new data folder has the default keys, and they stay the same when it is opened again', async () => {
  const path = dataFolder();
  const first = await openServal(path);
  const keys = first.db.keys.all();
  expect(keys.map(({ name }) => name)).toEqual([
    'Default Chat API Key',
    'Default Read-Only Admin API Key',
    'Default Admin API Key',
    'Default Search API Key',
  ]);
  await first.db.close();
  const second = await openServal(path);
  expect(second.db.keys.all()).toEqual(keys);
});

test('a created key outlives the process, a deleted one does not', async () => {
  const path = dataFolder();
  const first = await openServal(path);
  const created = await first.db.keys.create(newKey(UID));
  const [oldest] = first.db.keys.all();
  await first.db.keys.delete(oldest?.uid ?? '');
  await first.db.close();
  const second = await openServal(path);
  expect(second.db.keys.get(UID)).toEqual(created);
  expect(second.db.keys.get(oldest?.uid ?? '')).toBeUndefined();
  expect(second.db.keys.all()).toHaveLength(4);
});

test('default keys come back only when no key is left', async () => {
  const records = memoryRecords();
  const store = await KeyStore.load(records);
  const [kept, ...others] = store.all();
  for (const { uid } of others) await store.delete(uid);
  expect((await KeyStore.load(records)).all()).toEqual([kept]);
  await store.delete(kept?.uid ?? '');
  expect((await KeyStore.load(records)).all()).toHaveLength(4);
});

test('keys made at the same moment keep their order when they are read again', async () => {
  const records = memoryRecords();
  const store = new KeyStore(records);
  const uids = Array.from({ length: 20 }, (_, at) => UID.replace(/01$/, String(99 - at)));
  await Promise.all(uids.map((uid) => store.create(newKey(uid))));
  const read = await KeyStore.load(records);
  expect(read.all().map(({ uid }) => uid)).toEqual(uids);
});

test('of two keys with one uid created at once, one is refused', async () => {
  const store = new KeyStore(memoryRecords());
  const made = await Promise.all([store.create(newKey(UID)), store.create(newKey(UID))]);
  expect(made.map((key) => key?.uid)).toEqual([UID, undefined]);
});

test('a key that is changed while it is deleted stays deleted', async () => {
  const records = memoryRecords();
  const store = new KeyStore(records);
  await store.create(newKey(UID));
  const [deleted, changed] = await Promise.all([
    store.delete(UID),
    store.update(UID, { name: 'late' }),
  ]);
  expect([deleted, changed, await records.records('keys')]).toEqual([true, undefined, []]);
});

test('a change renews the date of change alone, and leaves what it does not name', async () => {
  const store = new KeyStore(memoryRecords());
  const created = await store.create({ ...newKey(UID), description: 'for the site' });
  const changed = await store.update(UID, { name: null });
  expect(changed).toEqual({ ...created, name: null, updatedAt: expect.anything() });
  expect(Date.parse(changed?.updatedAt ?? '')).toBeGreaterThan(
    Date.parse(created?.updatedAt ?? ''),
  );
});

test('another master key gives every key another secret and none another uid', async () => {
  const store = new KeyStore(memoryRecords());
  await store.create(newKey(UID));
  const [one, other] = [new ApiKeys('one', store), new ApiKeys('other', store)];
  expect(one.get(UID).key).not.toBe(other.get(UID).key);
  expect(other.byUid(UID)?.stored).toBe(one.byUid(UID)?.stored);
  expect(() => other.get(one.get(UID).key)).toThrow('not found');
});
