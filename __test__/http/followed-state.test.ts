import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { KeyStore } from '../../src/auth/key-store.js';
import { StoredFeatures } from '../../src/features/stored-features.js';
import { FollowedState } from '../../src/http/workers/followed-state.js';
import { SharedCounts } from '../../src/http/workers/shared-counts.js';
import { StatePublisher } from '../../src/http/workers/state-publisher.js';
import type { IndexPlace } from '../../src/indexes/index-registry.js';
import { LogTarget } from '../../src/logs/log-target.js';
import { Logs } from '../../src/logs/logs.js';
import { Changes } from '../../src/records/changes.js';
import type { Records } from '../../src/records/records.js';

/** Records that last as long as a test. */
const records: Records = {
  records: async () => [],
  putRecord: async () => undefined,
  putRecords: async () => undefined,
  deleteRecord: async () => true,
};

/** What a thread hears of a first one, and how the first one changes. */
async function pair() {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const counts = new SharedCounts();
  const heard: { levels: string[]; folders: ReadonlySet<string> } = {
    levels: [],
    folders: new Set(),
  };
  const state = new FollowedState(port2, new SharedCounts(counts.memory), 'masterKey', {
    moved: (folders) => {
      heard.folders = folders;
    },
    logLevel: (level) => heard.levels.push(level),
  });
  const keys = await KeyStore.load(records);
  const features = await StoredFeatures.load(records);
  const indexes = {
    changes: new Changes<readonly IndexPlace[]>(),
    places: (): IndexPlace[] => [{ uid: 'films', folder: '/films' }],
  };
  const logs = Logs.silent();
  new StatePublisher([port1], counts, { keys, features, indexes, logs });
  return { state, keys, features, indexes, logs, heard };
}

test('a key is known, and known no more, without a turn of the event loop', async () => {
  const { state, keys } = await pair();
  // No message can arrive by itself before the next turn: what is known was fetched.
  expect(state.catchUp()).toBe(true);
  const [first] = keys.all();
  const uid = first?.uid ?? '';
  expect(state.keys?.byUid(uid)?.stored).toEqual(first);
  let knownAtTheChange: unknown = 'not asked';
  keys.changes.follow(() => {
    state.catchUp();
    knownAtTheChange = state.keys?.byUid(uid);
  });
  await keys.delete(uid);
  expect(knownAtTheChange).toBe(undefined);
});

test('indexes of one change move together', async () => {
  const { state, indexes, heard } = await pair();
  state.catchUp();
  expect(state.folderOf('films')).toBe('/films');
  indexes.changes.tell([
    { uid: 'films', folder: '/others' },
    { uid: 'others', folder: '/films' },
  ]);
  state.catchUp();
  expect([state.folderOf('films'), state.folderOf('others')]).toEqual(['/others', '/films']);
  indexes.changes.tell([{ uid: 'others', folder: undefined }]);
  state.catchUp();
  expect(state.folderOf('others')).toBe(undefined);
  expect(heard.folders).toEqual(new Set(['/others']));
});

test('features that need the first thread leave searches to it, and are never on here', async () => {
  const { state, features } = await pair();
  await features.set({ containsFilter: true });
  state.catchUp();
  expect([state.answersSearches, state.features.containsFilter]).toEqual([true, true]);
  for (const feature of ['network', 'dynamicSearchRules']) {
    await features.set({ [feature]: true });
    state.catchUp();
    expect([state.answersSearches, state.features[feature]]).toEqual([false, false]);
    await features.set({ [feature]: false });
    state.catchUp();
    expect(state.answersSearches).toBe(true);
  }
});

test('the level of the log is told when it is another one', async () => {
  const { state, logs, heard } = await pair();
  logs.setTarget(LogTarget.of('debug'));
  state.catchUp();
  expect(heard.levels).toEqual(['off', 'debug']);
});
