import { mkdtempSync, rmSync } from 'node:fs';
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
