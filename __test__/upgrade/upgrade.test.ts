import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PRODUCT_VERSION } from '../../src/config/product.js';
import { ApiError } from '../../src/errors/api-error.js';
import type { Engine, EngineIndexInfo } from '../../src/native/engine-index.js';
import { Serval, type ServalOptions } from '../../src/serval.js';
import { type EngineControls, memoryEngine } from '../tasks/memory-engine.js';
import { dataFolder, openServal } from '../tasks/open-serval.js';
import { formatsOf, makeOlder, OLDER, writtenBy } from './older-folder.js';

/** What a test decides about the upgrade of indexes. */
interface Upgrading {
  isOutdated: boolean;
  /** Called instead of an upgrade. */
  upgrade?: (folder: string) => Promise<void>;
  lastBatch?: EngineIndexInfo['lastBatch'];
}

/** The small engine, whose indexes are of an older format until they are upgraded. */
function upgradingEngine(control: Upgrading, controls: EngineControls = { batches: [] }): Engine {
  const engine = memoryEngine(controls);
  return {
    ...engine,
    openIndex: async (folder) => {
      if (control.isOutdated) throw new ApiError('invalid_store_file', 'another format');
      return engine.openIndex(folder);
    },
    lastCommit: async (folder) => {
      const commit = await engine.lastCommit(folder);
      const { isOutdated, lastBatch = commit.lastBatch } = control;
      return { ...commit, isOutdated, lastBatch };
    },
    upgradeIndex: async (folder) => {
      await control.upgrade?.(folder);
      control.isOutdated = false;
    },
  };
}

/** A folder of an older version with an index of one document. */
async function olderFolder(): Promise<string> {
  const { db, path } = await openServal();
  await (await db.index('books').addDocuments([{ id: 1 }])).wait();
  await db.close();
  writtenBy(path, OLDER);
  return path;
}

/** How many documents there are, by the engine. */
async function countOf(db: Serval): Promise<number | undefined> {
  return (await (await db.indexes.open('books'))?.info())?.numberOfDocuments;
}

async function reopen(path: string, options: ServalOptions): Promise<Serval> {
  const db = await Serval.open(path, options);
  onTestFinished(() => db.close());
  return db;
}

describe('data of an older version', () => {
  test('is refused, and stays as it is, unless it may be upgraded', async () => {
    const path = await olderFolder();
    const message = [
      `Your database version (${OLDER}) is incompatible with your current engine version (${PRODUCT_VERSION}).`,
      'How data gets from one version to another is told at https://serval.dev/docs/operate#upgrading.',
      'To upgrade the database in place, start with `--upgrade-db` or `SVC_UPGRADE_DB=true`, after having made a snapshot or a copy of it.',
    ].join('\n');
    await expect(openServal(path)).rejects.toMatchObject({ code: 'invalid_state', message });
    expect(readFileSync(join(path, 'VERSION'), 'utf8')).toBe(OLDER);
  });

  test('is upgraded by a task that comes before all others', async () => {
    const path = await olderFolder();
    const waiting = await reopen(path, {
      engine: upgradingEngine({ isOutdated: true }),
      upgrade: true,
      maxBatchedTasks: 0,
    });
    const write = await waiting.index('books').addDocuments([{ id: 2 }]);
    expect((await waiting.tasks.list()).results.map(({ type, status }) => [type, status])).toEqual([
      ['documentAdditionOrUpdate', 'enqueued'],
      ['upgradeDatabase', 'enqueued'],
      ['documentAdditionOrUpdate', 'succeeded'],
    ]);
    await waiting.close();
    expect(readFileSync(join(path, 'VERSION'), 'utf8')).toBe(PRODUCT_VERSION);

    const db = await reopen(path, { engine: upgradingEngine({ isOutdated: true }) });
    await db.tasks.waitFor(write.taskUid);
    const { results } = await db.tasks.list({ types: ['upgradeDatabase'] });
    expect(results).toEqual([
      expect.objectContaining({
        status: 'succeeded',
        indexUid: null,
        details: { upgradeFrom: `v${OLDER}`, upgradeTo: `v${PRODUCT_VERSION}` },
      }),
    ]);
    const [{ batchUid = null } = {}] = results;
    const batch = await db.tasks.getBatch(Number(batchUid));
    expect(batch).toMatchObject({
      details: { upgradeFrom: `v${OLDER}`, upgradeTo: `v${PRODUCT_VERSION}` },
      batchStrategy:
        'stopped after the last task of type `upgradeDatabase` because they cannot be batched with tasks of any other type.',
    });
    expect(await countOf(db)).toBe(2);
  });

  test('is not upgraded twice when the process died before the version was written', async () => {
    const path = await olderFolder();
    const options = { upgrade: true, maxBatchedTasks: 0 };
    for (const _ of [1, 2, 3]) {
      const { db } = await openServal(path, options);
      expect((await db.tasks.list({ types: ['upgradeDatabase'] })).total).toBe(1);
      await db.close();
      writtenBy(path, OLDER);
    }
  });

  test('of which a batch was committed and not yet known does not get it twice', async () => {
    const { db, path, controls } = await openServal();
    await (await db.index('books').addDocuments([{ id: 1 }])).wait();
    // From here on nobody hears of what was committed, as after a kill.
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    onTestFinished(() => release());
    controls.afterCommit = () => released;
    const write = await db.index('books').addDocuments([{ id: 2 }]);
    const committed = () => controls.batches.length === 2;
    while (!committed()) await new Promise((resolve) => setTimeout(resolve, 5));
    await db.store.close();
    writtenBy(path, OLDER);
    const seen: EngineControls = { batches: [] };
    const control = { isOutdated: true };
    const again = await reopen(path, { engine: upgradingEngine(control, seen), upgrade: true });
    expect(await again.tasks.waitFor(write.taskUid)).toMatchObject({ status: 'succeeded' });
    const { results } = await again.tasks.list({ types: ['upgradeDatabase'] });
    await again.tasks.waitFor(results[0]?.uid ?? -1);
    expect(seen.batches).toEqual([]);
  });
});

describe('an upgrade that fails', () => {
  test('keeps everything else waiting, and is tried again as the same batch', async () => {
    const path = await olderFolder();
    const upgrade = () => Promise.reject(new ApiError('no_space_left_on_device', 'full'));
    const failing = { isOutdated: true, upgrade };
    const first = await reopen(path, { engine: upgradingEngine(failing), upgrade: true });
    const [task] = (await first.tasks.list({ types: ['upgradeDatabase'] })).results;
    const ended = await first.tasks.waitFor(task?.uid ?? -1);
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'no_space_left_on_device' } });
    const write = await first.index('books').addDocuments([{ id: 2 }]);
    await first.close();
    expect(failing.isOutdated).toBe(true);

    const seen: EngineControls = { batches: [] };
    const second = await reopen(path, { engine: upgradingEngine({ isOutdated: true }, seen) });
    expect(await second.tasks.waitFor(write.taskUid)).toMatchObject({
      status: 'succeeded',
      batchUid: Number(ended.batchUid) + 1,
    });
    expect(seen.batches.map(({ batchUid }) => batchUid)).toEqual([Number(ended.batchUid) + 1]);
    expect(await second.tasks.get(ended.uid)).toMatchObject({
      status: 'succeeded',
      batchUid: ended.batchUid,
      error: null,
      details: ended.details,
    });
    const { results } = await second.tasks.listBatches({ reverse: true });
    expect(results.map(({ uid }) => uid)).toEqual([0, 1, 2]);
  });

  test('because an index is damaged goes on with the others', async () => {
    const path = await olderFolder();
    const upgrade = () => Promise.reject(new ApiError('invalid_store_file', 'damaged'));
    const engine = upgradingEngine({ isOutdated: true, upgrade });
    const db = await reopen(path, { engine, upgrade: true });
    const [task] = (await db.tasks.list({ types: ['upgradeDatabase'] })).results;
    expect(await db.tasks.waitFor(task?.uid ?? -1)).toMatchObject({ status: 'succeeded' });
    await expect(db.index('books').getDocuments()).rejects.toMatchObject({
      code: 'invalid_store_file',
    });
    await (await db.enqueue({ type: 'indexDeletion', indexUid: 'books' })).wait();
  });

  test('cannot be canceled', async () => {
    const path = await olderFolder();
    const options = { engine: upgradingEngine({ isOutdated: true }), upgrade: true };
    const waiting = await reopen(path, { ...options, maxBatchedTasks: 0 });
    const cancelation = await waiting.tasks.cancel({}, '?uids=*');
    await waiting.close();
    const db = await reopen(path, options);
    const [task] = (await db.tasks.list({ types: ['upgradeDatabase'] })).results;
    expect(await db.tasks.waitFor(task?.uid ?? -1)).toMatchObject({ status: 'succeeded' });
    expect(await db.tasks.waitFor(cancelation.taskUid)).toMatchObject({
      details: { canceledTasks: 0 },
    });
  });
});

describe('a data folder is refused', () => {
  test.each([
    [
      'of a newer version, by name when an upgrade is asked for',
      '99.0.0',
      `Database version 99.0.0 is higher than the Serval version ${PRODUCT_VERSION}. Downgrade is not supported`,
    ],
    [
      'of a version that no upgrade leads from',
      '0.0.9',
      `Database version 0.0.9 is too old to be upgraded via \`--upgrade-db\`. Please generate a dump using the v0.0.9 and import it in the v${PRODUCT_VERSION}`,
    ],
    ['whose version is none', 'soon', /^The file VERSION of the database is malformed: "soon"/],
    ['whose version is empty', '', /^The file VERSION of the database is malformed: ""/],
  ])('%s', async (_, version, message) => {
    const path = await olderFolder();
    writtenBy(path, version);
    await expect(openServal(path, { upgrade: true })).rejects.toThrow(message);
    await expect(openServal(path)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(readFileSync(join(path, 'VERSION'), 'utf8')).toBe(version);
  });

  test('that does not say its version', async () => {
    const path = await olderFolder();
    rmSync(join(path, 'VERSION'));
    for (const upgrade of [false, true]) {
      await expect(openServal(path, { upgrade })).rejects.toThrow(/VERSION .* is missing/);
    }
    expect(existsSync(join(path, 'VERSION'))).toBe(false);
  });
});

test('data of this version is not upgraded, though it may be', async () => {
  const { db, path } = await openServal(dataFolder(), { upgrade: true });
  await db.close();
  const again = await openServal(path, { upgrade: true });
  expect((await again.db.tasks.list()).total).toBe(0);
});

test('an index of an older format is made anew of what it stores', {
  timeout: 60_000,
}, async () => {
  const path = dataFolder();
  const before = await reopen(path, {});
  const index = before.index('books');
  await (await index.updateSettings({ filterableAttributes: ['year'], stopWords: ['the'] })).wait();
  const titles = ['The first book', 'A second book', 'Third of the books', 'Something else'];
  const books = titles.map((title, id) => ({ id, title, year: 1990 + id }));
  await (await index.addDocuments(books)).wait();
  await (await index.deleteDocuments([1])).wait();
  const request = { filter: 'year > 1990', showRankingScore: true } as const;
  const seen = async (db: Serval) => {
    const { hits, estimatedTotalHits } = await db.index('books').search('bookz', request);
    const settings = await db.index('books').settings();
    const documents = await db.index('books').getDocuments();
    return { hits, estimatedTotalHits, settings, documents, info: await db.indexes.get('books') };
  };
  const expected = await seen(before);
  expect(expected.hits.length).toBe(1);
  await before.close();
  const present = formatsOf(path);
  makeOlder(path);
  expect(formatsOf(path)).not.toEqual(present);

  await expect(Serval.open(path)).rejects.toThrow(/incompatible/);
  const db = await reopen(path, { upgrade: true });
  const [task] = (await db.tasks.list({ types: ['upgradeDatabase'] })).results;
  expect(await db.tasks.waitFor(task?.uid ?? -1)).toMatchObject({
    status: 'succeeded',
    error: null,
  });
  expect(await seen(db)).toEqual(expected);
  expect(formatsOf(path)).toEqual(present);
  await (await db.index('books').addDocuments([{ id: 9, title: 'Another book' }])).wait();
  expect((await db.check()).damaged).toEqual([]);
});

test('a snapshot of an older version is taken when it may be upgraded', async () => {
  const path = dataFolder();
  const db = await reopen(path, {});
  await (await db.index('books').addDocuments([{ id: 1 }])).wait();
  writtenBy(path, OLDER);
  const snapshot = await db.snapshot();
  const importFrom = { kind: 'snapshot', path: snapshot } as const;
  await expect(Serval.open(dataFolder(), { importFrom })).rejects.toThrow(/is incompatible with/);
  const restored = await reopen(dataFolder(), { importFrom, upgrade: true });
  const [task] = (await restored.tasks.list({ types: ['upgradeDatabase'] })).results;
  expect(await restored.tasks.waitFor(task?.uid ?? -1)).toMatchObject({ status: 'succeeded' });
  expect(await countOf(restored)).toBe(1);
});
