import { expect, test } from 'vitest';
import type { NewKey } from '../../src/auth/api-key.js';
import { ApiKeys } from '../../src/auth/api-keys.js';
import { Authorizer } from '../../src/auth/authorize.js';
import { KeyStore } from '../../src/auth/key-store.js';
import { memoryRecords } from './memory-records.js';

const MASTER = 'a master key of some length';
const END = Date.parse('2030-01-01T00:00:00Z');

const newKey = (number: number): NewKey => ({
  uid: `5e1f0c2a-7b3d-4e6f-8a9b-${String(number).padStart(12, '0')}`,
  name: null,
  description: null,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: '2030-01-01T00:00:00Z',
});

const refused = expect.objectContaining({ code: 'invalid_api_key' });

test('a key that was used before is refused once it has ended', async () => {
  const keys = new ApiKeys(MASTER, new KeyStore(memoryRecords()));
  let now = END - 1;
  const ring = new Authorizer(MASTER, keys, () => now);
  const { key } = await keys.create(newKey(1));
  expect(ring.accessOf(key, ['search'])).toEqual(ring.accessOf(key, ['search']));
  now = END;
  expect(() => ring.accessOf(key, ['search'])).toThrow(refused);
});

test('a key that was used before is refused once it is deleted, and opens again when made anew', async () => {
  const keys = new ApiKeys(MASTER, new KeyStore(memoryRecords()));
  const ring = new Authorizer(MASTER, keys, () => 0);
  const { key, uid } = await keys.create(newKey(1));
  ring.accessOf(key, ['search']);
  await keys.delete(uid);
  expect(() => ring.accessOf(key, ['search'])).toThrow(refused);
  await keys.create({ ...newKey(1), actions: ['stats.get'] });
  expect(() => ring.accessOf(key, ['search'])).toThrow(refused);
  expect(ring.accessOf(key, ['stats.get']).visibleIndexes).toBeUndefined();
});

test('a text that opened nothing opens what it names once that is there', async () => {
  const keys = new ApiKeys(MASTER, new KeyStore(memoryRecords()));
  const ring = new Authorizer(MASTER, keys, () => 0);
  const { key, uid } = await keys.create(newKey(1));
  await keys.delete(uid);
  expect(() => ring.accessOf(key, ['search'])).toThrow(refused);
  await keys.create(newKey(1));
  expect(ring.accessOf(key, ['search']).visibleIndexes).toBeUndefined();
});

test('more keys than are remembered are told apart all the same', async () => {
  const keys = new ApiKeys(MASTER, new KeyStore(memoryRecords()));
  const ring = new Authorizer(MASTER, keys, () => 0);
  const made = [];
  for (let number = 0; number < 1100; number += 1) {
    const indexes = [`index-${number}`];
    made.push(await keys.create({ ...newKey(number), indexes }));
  }
  for (const round of [0, 1]) {
    for (const { key, indexes } of made) {
      expect(ring.accessOf(key, ['search']).visibleIndexes, `round ${round}`).toEqual(indexes);
    }
    expect(ring.accessOf(MASTER, ['search']).visibleIndexes).toBeUndefined();
  }
});
