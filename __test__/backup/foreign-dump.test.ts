import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Archive } from '../../src/native/archive.js';
import { Serval } from '../../src/serval.js';

const folder = mkdtempSync(join(tmpdir(), 'serval-foreign-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DATE = '2024-01-15T14:30:12.345Z';

function task(uid: number, type: unknown, more: Record<string, unknown> = {}): object {
  const ended = { status: 'succeeded', startedAt: DATE, finishedAt: DATE, batchUid: uid };
  const plain = { uid, indexUid: 'books', canceledBy: null, error: null, enqueuedAt: DATE };
  return { ...plain, ...ended, details: null, type, ...more };
}

const WAITING = { status: 'enqueued', startedAt: null, finishedAt: null, batchUid: null };
const IMPORT = { primary_key: 'id', documents_count: 1, allow_index_creation: true };

const TASKS = [
  task(
    0,
    { documentImport: { ...IMPORT, method: 'ReplaceDocuments' } },
    {
      details: { DocumentAdditionOrUpdate: { received_documents: 1, indexed_documents: 1 } },
    },
  ),
  task(1, 'documentClear', { details: { ClearAll: { deleted_documents: 4 } } }),
  task(
    2,
    { settings: { settings: { stopWords: ['a'] }, is_deletion: false } },
    {
      details: { SettingsUpdate: { settings: { stopWords: ['a'] } } },
    },
  ),
  task(3, { documentImport: { ...IMPORT, method: 'UpdateDocuments' } }, WAITING),
  task(4, { documentDeletion: { documents_ids: ['9'] } }, WAITING),
  task(5, { taskCancelation: { query: '?uids=1', tasks: [1, 2] } }, WAITING),
  task(6, { dumpCreation: { keys: [], instance_uid: null } }, { ...WAITING, status: 'processing' }),
];

test('a dump of another writer of the layout is read, and what waits in it is run', async () => {
  const file = join(folder, 'a.dump');
  const archive = await Archive.create(file);
  const lines = (values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const entries: Record<string, string> = {
    'metadata.json': JSON.stringify({ dumpVersion: 'V6', dbVersion: '1.40.0', dumpDate: DATE }),
    'instance_uid.uuid': '7a2b3c4d-1e5f-4a6b-9c8d-0e1f2a3b4c32',
    'keys.jsonl': lines([
      {
        uid: '7a2b3c4d-1e5f-4a6b-9c8d-0e1f2a3b4c33',
        name: null,
        description: 'd',
        actions: ['search'],
        indexes: ['*'],
        expires_at: null,
        created_at: DATE,
        updated_at: DATE,
      },
    ]),
    'tasks/queue.jsonl': lines(TASKS),
    'tasks/update_files/3.jsonl': '{"id":1,"more":true}\n',
    'batches/queue.jsonl': lines([
      { uid: 0, details: {}, stats: {}, startedAt: DATE, finishedAt: DATE },
    ]),
    'indexes/books/metadata.json': JSON.stringify({
      uid: 'books',
      primaryKey: 'id',
      createdAt: DATE,
      updatedAt: DATE,
    }),
    'indexes/books/settings.json': JSON.stringify({ stopWords: ['a'] }),
    'indexes/books/documents.jsonl': '{"id":9}\n{"id":1,"title":"One"}\n',
  };
  for (const [path, text] of Object.entries(entries)) await archive.addText(path, text);
  await archive.finish({ readOnly: false });

  const importFrom = { kind: 'dump', path: file } as const;
  const db = await Serval.open(join(folder, 'data.sv'), { importFrom });
  const tasks = await Promise.all([0, 1, 2, 3, 4].map((uid) => db.tasks.waitFor(uid)));
  expect(tasks.map(({ type, status, details }) => [type, status, details])).toEqual([
    ['documentAdditionOrUpdate', 'succeeded', { receivedDocuments: 1, indexedDocuments: 1 }],
    ['documentDeletion', 'succeeded', { deletedDocuments: 4 }],
    ['settingsUpdate', 'succeeded', { stopWords: ['a'] }],
    ['documentAdditionOrUpdate', 'succeeded', undefined],
    ['documentDeletion', 'succeeded', undefined],
  ]);
  expect(await db.tasks.get(5)).toMatchObject({ type: 'taskCancelation', status: 'canceled' });
  expect(await db.tasks.get(6)).toMatchObject({
    status: 'succeeded',
    finishedAt: '2024-01-15T14:30:12.345Z',
  });
  const { results } = await db.index('books').getDocuments();
  expect(results).toEqual([{ id: 1, title: 'One', more: true }]);
  expect((await db.tasks.getBatch(0))?.batchStrategy).toBe('unspecified');
  expect(db.keys.all().map(({ description }) => description)).toEqual(['d']);
  await db.close();
});

/** A dump that holds the least, and some entries. */
async function dumpOf(name: string, entries: Record<string, unknown>): Promise<string> {
  const file = join(folder, `${name}.dump`);
  const archive = await Archive.create(file);
  const metadata = { dumpVersion: 'V6', dbVersion: '1.40.0', dumpDate: DATE };
  for (const [path, content] of Object.entries({ 'metadata.json': metadata, ...entries })) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await archive.addText(path, text);
  }
  await archive.finish({ readOnly: false });
  return file;
}

const HOOK = '7a2b3c4d-1e5f-4a6b-9c8d-0e1f2a3b4c40';
const NETWORK = {
  self: 'here',
  remotes: {
    here: { url: 'http://127.0.0.1:1', searchApiKey: 'a', writeApiKey: null },
    there: { url: 'http://127.0.0.1:2' },
  },
  shards: { one: { remotes: ['here', 'there'] } },
  version: '0190a5b4-0000-7000-8000-000000000001',
};

test('everything that stands beside indexes and tasks is read', async () => {
  const webhook = { url: 'http://127.0.0.1:3/hook', headers: { 'x-a': 'b' } };
  const importFrom = {
    kind: 'dump',
    path: await dumpOf('beside', {
      'instance_uid.uuid': `${HOOK}\n`,
      'experimental-features.json': { metrics: true, containsFilter: false, ofTomorrow: true },
      'network.json': { ...NETWORK, leader: 'here' },
      'webhooks.json': { webhooks: { [HOOK]: webhook } },
      'chat-completions-settings/help.json': { source: 'openAi', apiKey: 'secret' },
      'tasks/queue.jsonl': '',
      'batches/queue.jsonl': '',
    }),
  } as const;
  const db = await Serval.open(join(folder, 'beside.sv'), { importFrom });
  expect(db.features.all()).toMatchObject({ metrics: true, containsFilter: false });
  expect(db.features.all()).not.toHaveProperty('ofTomorrow');
  const there = { url: 'http://127.0.0.1:2', searchApiKey: null, writeApiKey: null };
  const remotes = { ...NETWORK.remotes, there };
  expect(db.network.current).toEqual({ ...NETWORK, remotes, leader: null });
  const stored = async (namespace: string) => Object.fromEntries(await db.store.records(namespace));
  expect(await stored('webhooks')).toEqual({ [HOOK]: webhook });
  expect(await stored('instance')).toEqual({ uid: HOOK });
  expect(db.chats.settings('help')).toMatchObject({ source: 'openAi', apiKey: 'secret' });
  expect((await db.tasks.list()).total).toBe(0);
  await db.close();
});

test.each<[what: string, entries: Record<string, unknown>, place: RegExp]>([
  ['a layout of before', { 'metadata.json': { dumpVersion: 'V5' } }, /layout is "V5", only "V6"/],
  ['no layout', { 'metadata.json': {} }, /layout is null/],
  ['no date', { 'metadata.json': { dumpVersion: 'V6', dumpDate: 'soon' } }, /date is not valid/],
  ['a feature that is no switch', { 'experimental-features.json': { metrics: 1 } }, /\.metrics/],
  ['a webhook without an address', { 'webhooks.json': { [HOOK]: { headers: {} } } }, /\.url/],
  ['a webhook without a uuid', { 'webhooks.json': { w: { url: 'http://a' } } }, /webhooks\.json/],
  ['a remote that is none', { 'network.json': { remotes: { a: 1 } } }, /\.remotes\.a/],
  ['shards that are none', { 'network.json': { shards: { a: {} } } }, /\.shards\.a\.remotes/],
  ['a key that is none', { 'keys.jsonl': '{"uid":"x"}\n' }, /no key/],
  ['a task of no type', { 'tasks/queue.jsonl': '{"uid":0,"type":"dance"}\n' }, /not known/],
  ['an index without metadata', { 'indexes/a/documents.jsonl': '' }, /does not describe an index/],
  [
    'documents that are none',
    {
      'indexes/a/metadata.json': { uid: 'a', primaryKey: 'id', createdAt: DATE, updatedAt: DATE },
      'indexes/a/documents.jsonl': '{"id":1}\n[]\n',
    },
    /indexes\/a\/documents\.jsonl/,
  ],
])('a dump with %s is refused, and leaves nothing', async (what, entries, place) => {
  const name = what.replaceAll(' ', '-');
  const path = await dumpOf(name, entries);
  const target = join(folder, `${name}.sv`);
  const opened = Serval.open(target, { importFrom: { kind: 'dump', path } });
  await expect(opened).rejects.toThrow(place);
  expect(existsSync(target)).toBe(false);
});

/** A task that waits, and what its file holds. */
async function dumpOfWaiting(name: string, content: Record<string, unknown>, file: string) {
  const { type } = content;
  const waiting = task(0, type, { ...WAITING, mentions: ['books'], content });
  return dumpOf(name, {
    'tasks/queue.jsonl': `${JSON.stringify(waiting)}\n`,
    'tasks/update_files/0.jsonl': file,
  });
}

async function refusalOf(path: string): Promise<unknown> {
  const importFrom = { kind: 'dump', path } as const;
  const opened = Serval.open(`${path}.sv`, { importFrom });
  return opened.then((db) => db.close()).catch((error: Error) => error.message);
}

test('files of ids and settings that wait are refused when they hold anything else', async () => {
  const selection = { idsIn: { file: 'a.ndjson' }, providedIds: 2 };
  const ids = { type: 'documentDeletion', indexUid: 'books', selection };
  const path = '`tasks/update_files/0.jsonl`';
  const whole = await dumpOfWaiting('ids', ids, '"1"\n"2"\n');
  expect(await refusalOf(whole)).toBeUndefined();
  const empty = await dumpOfWaiting('empty-id', ids, '"1"\n\n"2"\n');
  expect(await refusalOf(empty)).toContain(`${path}: line 2 is no id`);
  const long = await dumpOfWaiting('long-id', ids, `"1"\n"${'2'.repeat(2 ** 19)}"\n`);
  expect(await refusalOf(long)).toContain('a line is longer than');
  const settingsIn = { file: 'a.ndjson' };
  const change = { type: 'settingsUpdate', indexUid: 'books', settingsIn, mayCreateIndex: true };
  const unnamed = await dumpOfWaiting('unnamed', change, '{}');
  expect(await refusalOf(unnamed)).toContain('what it should do is not told');
  const named = { ...change, settingNames: ['stopWords'] };
  const list = await dumpOfWaiting('list', named, '["a"]');
  expect(await refusalOf(list)).toContain('tasks/update_files/0.jsonl');
  const settings = await dumpOfWaiting('settings', named, '{"stopWords":["a"]}');
  expect(await refusalOf(settings)).toBeUndefined();
});
