import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { Serval } from '../../src/serval.js';
import { newFolder, type Server, start } from '../server/servers.js';
import { ask, ended, type ShownTask } from '../server/talk.js';

const MINUTE_MS = 60_000;
const RELEASES = inRoot('__test__', 'fixtures', 'releases');

/** What a release answered over the files it left. */
interface Recorded {
  version: string;
  answers: { request: [method: string, path: string, body?: unknown]; answer: unknown }[];
  tasks: ShownTask[];
  batches: { uid: number }[];
  embedded: { query: string; hits: object[] };
}

/** Members that tell of an answer, not of the data. */
const OF_THE_ANSWER = new Set(['processingTimeMs', 'requestUid']);

function withoutMoments(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value) => (OF_THE_ANSWER.has(key) ? undefined : value)),
  );
}

/** Waits until data is of this version, which it may have been before. */
async function upgraded({ url }: Server): Promise<void> {
  const { results } = await ask<{ results: ShownTask[] }>(`${url}/tasks?types=upgradeDatabase`);
  for (const { uid } of results) {
    expect(await ended(url, uid)).toMatchObject({ status: 'succeeded', error: null });
  }
}

async function expectAnswers({ url }: Server, { answers }: Recorded): Promise<void> {
  for (const { request, answer } of answers) {
    const [method, path, body] = request;
    const found = await ask<object>(`${url}${path}`, method, body);
    // Newer versions may say more.
    expect(withoutMoments(found), `${method} ${path}`).toMatchObject(
      withoutMoments(answer) as object,
    );
  }
}

async function expectHistory({ url }: Server, { tasks, batches }: Recorded): Promise<void> {
  for (const task of tasks) expect(await ask(`${url}/tasks/${task.uid}`)).toEqual(task);
  for (const batch of batches) {
    expect(await ask(`${url}/batches/${batch.uid}`)).toMatchObject(batch);
  }
}

const versions = existsSync(RELEASES) ? readdirSync(RELEASES).sort() : [];

test('there is a release to be compared with', () => {
  expect(versions.length).toBeGreaterThan(0);
});

describe.each(versions)('what release %s left', { timeout: 3 * MINUTE_MS }, (version) => {
  const release = join(RELEASES, version);
  const recorded = JSON.parse(readFileSync(join(release, 'recorded.json'), 'utf8')) as Recorded;

  test('in a data folder is as it was, and what waited there is carried out', async () => {
    const folder = await newFolder();
    cpSync(join(release, 'server'), join(folder, 'data.sv'), { recursive: true });
    const server = await start(folder, '--upgrade-db');
    await upgraded(server);
    await expectAnswers(server, recorded);
    await expectHistory(server, recorded);
    const waiting = `${server.url}/tasks?indexUids=waiting`;
    const { results } = await ask<{ results: ShownTask[] }>(waiting);
    expect(results.length).toBe(2);
    for (const { uid } of results) {
      expect(await ended(server.url, uid)).toMatchObject({ status: 'succeeded' });
    }
    expect(await ask(`${server.url}/indexes/waiting/documents/1`)).toEqual({
      id: 1,
      title: 'waits',
    });
  });

  test('as a snapshot is restored as it was', async () => {
    const snapshot = join(release, 'server.snapshot');
    const server = await start(await newFolder(), '--upgrade-db', '--import-snapshot', snapshot);
    await upgraded(server);
    await expectAnswers(server, recorded);
    await expectHistory(server, recorded);
  });

  test('as a dump is imported as it was', async () => {
    const dump = join(release, 'server.dump');
    const server = await start(await newFolder(), '--import-dump', dump);
    await expectAnswers(server, recorded);
    await expectHistory(server, recorded);
  });

  test('of a program is opened by a program', async () => {
    const folder = join(await newFolder(), 'embedded');
    cpSync(join(release, 'embedded'), folder, { recursive: true });
    const db = await Serval.open(folder, { upgrade: true });
    onTestFinished(() => db.close());
    for (const { uid } of (await db.tasks.list({ types: ['upgradeDatabase'] })).results) {
      await db.tasks.waitFor(uid);
    }
    const { query, hits } = recorded.embedded;
    expect((await db.index('books').search(query, { sort: ['year:asc'] })).hits).toEqual(hits);
  });
});
