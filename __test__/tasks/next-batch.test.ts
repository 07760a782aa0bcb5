import { describe, expect, test } from 'vitest';
import { type IndexFacts, nextBatch } from '../../src/tasks/next-batch.js';
import { PendingQueue } from '../../src/tasks/pending-queue.js';
import { type QueuedTask, queuedDraft } from '../../src/tasks/queued-task.js';
import type { DeletionSelection, TaskDraft } from '../../src/tasks/task-draft.js';
import { naiveBatch } from './naive-batch.js';
import { randomFrom } from './random.js';

const UNLIMITED = { maxTasks: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };
const EXISTS: IndexFacts = { exists: true, primaryKey: null };
const ABSENT: IndexFacts = { exists: false, primaryKey: null };

const add = (
  indexUid: string,
  primaryKey: string | null = null,
  mayCreateIndex = true,
): TaskDraft => ({
  type: 'documentAdditionOrUpdate',
  indexUid,
  method: 'replace',
  primaryKey,
  payload: { documents: 1, content: { inline: '' } },
  skipCreation: false,
  mayCreateIndex,
});
const remove = (indexUid: string, selection: DeletionSelection): TaskDraft => ({
  type: 'documentDeletion',
  indexUid,
  selection,
});
const byIds = (indexUid: string) => remove(indexUid, { ids: ['1'] });
const byFilter = (indexUid: string) => remove(indexUid, { filter: 'a = 1' });
const clear = (indexUid: string) => remove(indexUid, 'all');
const settings = (indexUid: string, mayCreateIndex = true): TaskDraft => ({
  type: 'settingsUpdate',
  indexUid,
  settings: {},
  mayCreateIndex,
});
const create = (indexUid: string): TaskDraft => ({
  type: 'indexCreation',
  indexUid,
  primaryKey: null,
});
const drop = (indexUid: string): TaskDraft => ({ type: 'indexDeletion', indexUid });
const swap = (a: string, b: string): TaskDraft => ({
  type: 'indexSwap',
  swaps: [{ indexes: [a, b], rename: false }],
});
const select = (type: 'taskCancelation' | 'taskDeletion'): TaskDraft => ({
  type,
  tasks: [],
  originalFilter: '',
});

function queueOf(drafts: readonly TaskDraft[]): { queue: PendingQueue; tasks: QueuedTask[] } {
  const queue = new PendingQueue();
  const tasks = drafts.map((draft, uid) => queuedDraft(uid, draft));
  for (const task of tasks) queue.add(task);
  return { queue, tasks };
}

function chosen(drafts: readonly TaskDraft[], facts: IndexFacts = EXISTS, limits = UNLIMITED) {
  const batch = nextBatch(queueOf(drafts).queue, () => facts, limits);
  return { uids: batch?.tasks.map(({ uid }) => uid), strategy: batch?.strategy };
}

describe('the next batch', () => {
  test('is none when nothing waits, or the queue is turned off', () => {
    expect(chosen([]).uids).toBeUndefined();
    expect(chosen([add('a')], EXISTS, { ...UNLIMITED, maxTasks: 0 }).uids).toBeUndefined();
  });

  test('holds the additions and deletions by id of the oldest index, whatever lies between', () => {
    const drafts = [add('a'), add('b'), byIds('a'), add('a'), add('b')];
    expect(chosen(drafts)).toEqual({
      uids: [0, 2, 3],
      strategy: 'batched all enqueued tasks for index `a`',
    });
    expect(chosen([add('a'), add('a')]).strategy).toBe('batched all enqueued tasks');
  });

  test('does not let tasks overtake a swap of their index', () => {
    expect(chosen([add('a'), swap('a', 'b'), add('a')]).uids).toEqual([0]);
    expect(chosen([swap('a', 'b'), add('a')]).uids).toEqual([0]);
    expect(chosen([add('c'), swap('a', 'b'), add('c')]).uids).toEqual([0, 2]);
  });

  test('is the newest cancelation, then all deletions of tasks, before anything else', () => {
    const drafts = [
      add('a'),
      select('taskDeletion'),
      select('taskCancelation'),
      select('taskDeletion'),
    ];
    expect(chosen([...drafts, select('taskCancelation')])).toEqual({
      uids: [4],
      strategy:
        'created batch containing only task with id 4 of type `taskCancelation` that cannot be batched with any other task.',
    });
    expect(chosen(drafts.filter(({ type }) => type !== 'taskCancelation'))).toEqual({
      uids: [1, 2],
      strategy:
        'stopped after the last task of type `taskDeletion` because they cannot be batched with tasks of any other type.',
    });
  });

  test('stops at its limits, but always takes one task', () => {
    const limited = (limits: object) =>
      chosen([add('a'), add('a'), add('a')], EXISTS, { ...UNLIMITED, ...limits });
    expect(limited({ maxTasks: 2 })).toEqual({
      uids: [0, 1],
      strategy: 'batched up to configured batch limit of 2 tasks',
    });
    const { queue } = queueOf([]);
    for (const uid of [0, 1, 2]) queue.add({ ...queuedDraft(uid, add('a')), payloadBytes: 60 });
    const bySize = (maxBytes: number) => nextBatch(queue, () => EXISTS, { ...UNLIMITED, maxBytes });
    expect(bySize(130)?.strategy).toBe(
      'batched up to configured batch size limit of 130B with a total of 120B',
    );
    expect(bySize(10)?.tasks).toHaveLength(1);
  });

  test.each<[string, TaskDraft]>([
    ['additions', Object.assign(add('a'), { payloadBytes: 40 * 2 ** 20 })],
    ['deletions by id', remove('a', { ids: ['x'.repeat(20 * 2 ** 20), 'y'.repeat(20 * 2 ** 20)] })],
    ['deletions by filter', remove('a', { filter: 'x'.repeat(40 * 2 ** 20) })],
    [
      'settings',
      Object.assign(settings('a'), { settings: { dictionary: ['x'.repeat(40 * 2 ** 20)] } }),
    ],
  ])('holds %s no larger together than a text that JavaScript can have', (_, large) => {
    const batch = chosen([large, large, large]);
    expect(batch.uids).toEqual([0]);
    expect(batch.strategy).toMatch(/^batched up to the limit of 67108864B of small tasks/);
  });

  test('holds any number of additions whose documents are in files', () => {
    const draft = add('a') as Extract<TaskDraft, { payload: unknown }>;
    const payload = { documents: 1, content: { file: 'some.ndjson' } };
    const large = { ...draft, payload, payloadBytes: 2 ** 32 };
    expect(chosen([large, large, large]).uids).toEqual([0, 1, 2]);
  });

  test('names the task that a lone one of another kind stopped it at', () => {
    expect(chosen([add('a'), create('a')])).toEqual({
      uids: [0],
      strategy:
        'created batch containing only task with id 1 of type `indexCreation` that cannot be batched with any other task.',
    });
  });
});

describe('the table of what joins what', () => {
  test.each<[string, TaskDraft[], IndexFacts, number[], RegExp]>([
    [
      'a deletion of the index ends it',
      [add('a'), drop('a'), add('a')],
      EXISTS,
      [0, 1],
      /it deletes the index/,
    ],
    [
      'imports stop before settings',
      [add('a'), settings('a')],
      EXISTS,
      [0],
      /it is a settings change/,
    ],
    ['imports stop before a filter', [add('a'), byFilter('a')], EXISTS, [0], /deletion by filter/],
    [
      'imports are cleared away',
      [add('a'), clear('a'), byIds('a')],
      EXISTS,
      [0, 1, 2],
      /all enqueued/,
    ],
    ['a clear stops before an import', [clear('a'), add('a')], EXISTS, [0], /document operation/],
    ['deletions take imports of an index', [byIds('a'), add('a')], EXISTS, [0, 1], /all enqueued/],
    ['deletions stop before a creation', [byIds('a'), add('a')], ABSENT, [0], /creation rules/],
    ['a filter lets an import join', [byFilter('a'), add('a')], ABSENT, [0, 1], /all enqueued/],
    [
      'settings take settings and clears',
      [settings('a'), clear('a'), settings('a')],
      EXISTS,
      [0, 1, 2],
      /all/,
    ],
    [
      'settings stop before documents',
      [settings('a'), byIds('a')],
      EXISTS,
      [0],
      /document operation/,
    ],
    [
      'rights to create must agree',
      [add('a', null, false), add('a')],
      ABSENT,
      [0],
      /creation rules/,
    ],
    [
      'an index with another key',
      [add('a'), add('a', 'x')],
      { exists: true, primaryKey: 'id' },
      [0],
      /`x` is different from the primary key of the index `id`/,
    ],
    ['a key after a guess', [add('a'), add('a', 'x')], EXISTS, [0], /primary key guessing/],
    [
      'two keys',
      [add('a', 'x'), add('a', 'y')],
      EXISTS,
      [0],
      /`y` is different from the primary key of the batch `x`/,
    ],
    ['one key and none', [add('a', 'x'), add('a')], EXISTS, [0, 1], /all enqueued/],
    [
      'a wrong key goes alone',
      [add('a', 'x'), add('a', 'x')],
      { exists: true, primaryKey: 'id' },
      [0],
      /different from the primary key of the index/,
    ],
  ])('%s', (_name, drafts, facts, uids, strategy) => {
    const batch = chosen(drafts, facts);
    expect(batch.uids).toEqual(uids);
    expect(batch.strategy).toMatch(strategy);
  });

  test('any queue is cut where the plain reading of the table cuts it', () => {
    const random = randomFrom(7);
    const makers = [
      () => add('a', random.pick([null, null, 'x', 'y']), random.pick([true, true, false])),
      () => byIds('a'),
      () => byFilter('a'),
      () => clear('a'),
      () => settings('a', random.pick([true, false])),
      () => drop('a'),
      () => create('a'),
      () => add('b'),
      () => swap('b', 'c'),
    ];
    for (let round = 0; round < 5000; round++) {
      const drafts = Array.from({ length: 1 + random.below(6) }, () => random.pick(makers)());
      const exists = random.pick([true, false]);
      const facts = { exists, primaryKey: exists ? random.pick([null, 'x']) : null };
      const { queue, tasks } = queueOf(drafts);
      const batch = nextBatch(queue, () => facts, UNLIMITED);
      expect(
        batch?.tasks.map(({ uid }) => uid),
        JSON.stringify({ drafts, facts }),
      ).toEqual(naiveBatch(tasks, facts));
    }
  });
});
