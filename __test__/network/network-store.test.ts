import { describe, expect, test } from 'vitest';
import { NO_NETWORK } from '../../src/network/network.js';
import { NetworkStore } from '../../src/network/network-store.js';
import { newVersion } from '../../src/network/network-version.js';
import { memoryRecords } from '../auth/memory-records.js';

const a = { url: 'http://a.test', searchApiKey: 'search', writeApiKey: null };
const b = { url: 'http://b.test', searchApiKey: null, writeApiKey: 'write' };

test('a network that nothing was said of is empty', () => {
  expect(new NetworkStore(memoryRecords()).current).toEqual(NO_NETWORK);
});

test('a change is there after the next start', async () => {
  const records = memoryRecords();
  const store = await NetworkStore.load(records);
  await store.change({ self: 'a', remotes: { a, b } });
  expect((await NetworkStore.load(records)).current).toEqual(store.current);
  expect(store.current).toMatchObject({ self: 'a', remotes: { a, b } });
});

test('remotes are merged field by field, and null removes', async () => {
  const store = new NetworkStore(memoryRecords());
  await store.change({ remotes: { b, a } });
  expect(Object.keys(store.current.remotes)).toEqual(['a', 'b']);
  await store.change({ remotes: { a: { searchApiKey: null }, b: null } });
  expect(store.current.remotes).toEqual({ a: { ...a, searchApiKey: null } });
  await store.change({ remotes: null });
  expect(store.current.remotes).toEqual({});
});

test('a removed remote leaves its shards, and a shard without remotes is gone', async () => {
  const store = new NetworkStore(memoryRecords());
  await store.change({
    remotes: { a, b },
    shards: { s: { remotes: ['a', 'b'] }, t: { remotes: ['b'] } },
  });
  await store.change({ remotes: { b: null } });
  expect(store.current.shards).toEqual({ s: { remotes: ['a'] } });
  await store.change({ shards: { s: { addRemotes: ['z'], removeRemotes: ['a'] } } });
  expect(store.current.shards).toEqual({ s: { remotes: ['z'] } });
});

test('each change has a version greater than the one before', async () => {
  const store = new NetworkStore(memoryRecords());
  const { version } = await store.change({});
  expect(version).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(newVersion(Date.now() + 5) > version).toBe(true);
});

test('a remote that did not answer is unavailable until it answers or is removed', async () => {
  const store = new NetworkStore(memoryRecords());
  await store.change({ remotes: { a } });
  store.setAvailable('a', false);
  store.setAvailable('unknown', false);
  expect([store.isAvailable('a'), store.isAvailable('unknown')]).toEqual([false, true]);
  await store.change({ remotes: { a: null } });
  expect(store.isAvailable('a')).toBe(true);
});

describe('refused, and nothing is changed', () => {
  test.each([
    ['missing_network_url', { remotes: { c: {} } }, 'Missing field `.remotes.c.url`'],
    [
      'invalid_network_url',
      { remotes: { a: { url: null } } },
      'Field `.remotes.a.url` cannot be set to `null`',
    ],
    [
      'invalid_network_url',
      { remotes: { a: { url: 'no-http-scheme' } } },
      'Invalid `.remotes.a.url` (`no-http-scheme`): relative URL without a base',
    ],
    [
      'requires_enterprise_edition',
      { leader: 'a' },
      'Serval Enterprise Edition is required to set `network.leader`',
    ],
    [
      'unexpected_network_previous_remotes',
      { previousRemotes: {} },
      'Unexpected `previousRemotes` in network call.\n  - Note: `previousRemote` is reserved for internal use.',
    ],
  ])('%s of %j', async (code, change, message) => {
    const store = new NetworkStore(memoryRecords());
    await store.change({ remotes: { a } });
    const before = store.current;
    await expect(store.change({ self: 'x', ...change })).rejects.toMatchObject({ code, message });
    expect(store.current).toBe(before);
  });
});
