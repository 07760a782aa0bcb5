import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { ask, ended, MASTER_KEY, type ShownTask } from '../server/talk.js';
import { CAN_FAIL, type Choice, FailingCalls } from './failing-calls.js';
import { type Held, heldBy, makeIndexes, newDocuments } from './held.js';
import { temporaryFolder } from './temporary-folder.js';

const MINUTE_MS = 60_000;

/** Codes by the error that the system gives. */
// SQLite tells a full disk from a broken one where it writes, not where it syncs or opens.
const CODES = { ENOSPC: 'no_space_left_on_device', EIO: 'io_error', EMFILE: 'too_many_open_files' };

/** A write, and the part of a path that names the files it writes. */
interface Point {
  readonly name: string;
  readonly files: string;
  readonly calls: Choice['calls'];
  readonly write: () => [method: string, path: string, body?: unknown];
}

const add =
  (count: number, text = 'new words') =>
  (): ReturnType<Point['write']> => ['POST', '/indexes/films/documents', newDocuments(count, text)];
const settings = (body: unknown) => (): ReturnType<Point['write']> => [
  'PATCH',
  '/indexes/films/settings',
  body,
];
const segment = (ending: string): Point => ({
  name: `the ${ending} file of a segment`,
  files: `.${ending}`,
  calls: ['open', 'write', 'sync'],
  write: add(20),
});
const LARGE = 4000;

const POINTS: readonly Point[] = [
  ...['store', 'term', 'idx', 'pos', 'fast', 'fieldnorm', 'fwd', 'attr'].map(segment),
  {
    name: 'the deletions of a segment',
    files: '.del',
    calls: ['open', 'write', 'sync'],
    write: () => ['POST', '/indexes/films/documents/delete-batch', [1, 2]],
  },
  {
    name: 'the commit',
    files: 'meta.json',
    calls: ['open', 'write', 'sync', 'rename'],
    write: add(3),
  },
  {
    name: 'the files of vectors',
    files: '.vectors',
    calls: ['open', 'write', 'sync'],
    write: add(5),
  },
  {
    name: 'the statuses of vectors',
    files: '.statuses',
    calls: ['open', 'write', 'sync'],
    write: add(5),
  },
  {
    name: 'the pointer to a generation',
    files: 'CURRENT',
    calls: ['open', 'write', 'sync', 'rename'],
    write: settings({ filterableAttributes: ['genre', 'year', 'id'] }),
  },
  {
    name: 'the commit of a new generation',
    files: '/00000',
    calls: ['open', 'write', 'sync', 'rename'],
    write: settings({ stopWords: ['the', 'of'] }),
  },
  {
    name: 'the dictionary of documents',
    files: '.zdict',
    calls: ['open', 'write', 'sync', 'rename'],
    write: () => ['POST', '/indexes/fresh/documents', newDocuments(300, 'fresh')],
  },
  {
    name: 'a received body',
    files: '.raw',
    calls: ['open', 'write'],
    write: add(LARGE),
  },
  {
    name: 'a checked payload',
    files: '.ndjson',
    calls: ['open', 'write', 'sync'],
    write: add(LARGE),
  },
  {
    name: 'the task store',
    files: 'server.sqlite',
    calls: ['write', 'sync'],
    write: add(2),
  },
  {
    name: 'a snapshot',
    files: 'snapshot',
    calls: ['open', 'write', 'sync', 'rename'],
    write: () => ['POST', '/snapshots'],
  },
  {
    name: 'the copy of the store in a snapshot',
    files: 'scratch',
    calls: ['open', 'write', 'sync'],
    write: () => ['POST', '/snapshots'],
  },
  {
    name: 'a dump',
    files: '.dump',
    calls: ['open', 'write', 'sync', 'rename'],
    write: () => ['POST', '/dumps'],
  },
  {
    name: 'the records of other parts',
    files: 'server.sqlite',
    calls: ['write', 'sync'],
    write: () => ['POST', '/webhooks', { url: 'http://203.0.113.1/hook' }],
  },
];

describe.runIf(CAN_FAIL)('a call of the system that fails', { timeout: 2 * MINUTE_MS }, () => {
  const { path: folder, remove } = temporaryFolder();
  let calls: FailingCalls;
  let server: Awaited<ReturnType<typeof startServer>>;

  const start = () =>
    startServer({
      folder,
      masterKey: MASTER_KEY,
      env: calls.env,
      args: ['--snapshot-dir', 'data.sv/snapshots', '--dump-dir', 'data.sv/dumps'],
    });

  beforeAll(async () => {
    calls = new FailingCalls(`${folder}/data.sv/`);
    server = await start();
    await makeIndexes(server.url);
  });

  afterAll(async () => {
    await server?.stop('SIGKILL');
    calls?.remove();
    remove();
  });

  /** Sends a write; its error, or that of its task, if it has one. */
  const failureOf = async (point: Point): Promise<{ code: string; message: string } | null> => {
    const [method, path, body] = point.write();
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { taskUid?: number; code: string; message: string };
    if (!response.ok) return answer;
    if (answer.taskUid === undefined) return null;
    const task: ShownTask = await ended(server.url, answer.taskUid);
    return task.error;
  };

  for (const point of POINTS) {
    for (const call of point.calls) {
      for (const error of ['ENOSPC', 'EIO'] as const) {
        test(`${error} at ${call} of ${point.name} fails that write and nothing else`, async () => {
          const before: Held = await heldBy(server.url);
          calls.begin({ calls: [call], error, text: point.files, failures: 1 });
          const failure = await failureOf(point);
          const seen = calls.end();
          expect(seen, 'the call was made').toBeGreaterThan(0);
          const isVague = point.files === 'scratch' || point.files === 'server.sqlite';
          const code = isVague && call !== 'write' ? 'io_error' : CODES[error];
          expect(failure?.code, failure?.message).toBe(code);
          expect(await heldBy(server.url)).toEqual(before);
          expect(server.exitCode()).toBe(null);
        });
      }
    }
  }

  test('after all of them every write succeeds, and a restart finds what was acknowledged', async () => {
    for (const point of POINTS) expect(await failureOf(point), point.name).toBe(null);
    const before = await heldBy(server.url);
    await server.stop('SIGKILL');
    server = await start();
    expect(await heldBy(server.url)).toEqual(before);
    const { results } = await ask<{ results: ShownTask[] }>(
      `${server.url}/tasks?statuses=enqueued,processing`,
    );
    expect(results).toEqual([]);
  });
});
