import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { ask, MASTER_KEY, write } from '../server/talk.js';
import { CAN_FAIL, FailingCalls } from './failing-calls.js';
import { heldByIndex, makeIndexes, newDocuments } from './held.js';
import { temporaryFolder } from './temporary-folder.js';

const MINUTE_MS = 60_000;
const ADDED = 5;
/** More calls than a batch makes. */
const MOST_CALLS = 400;

describe.runIf(CAN_FAIL)('whichever call of a batch fails', { timeout: 5 * MINUTE_MS }, () => {
  const { path: folder, remove } = temporaryFolder();
  let calls: FailingCalls;
  let server: Awaited<ReturnType<typeof startServer>>;

  beforeAll(async () => {
    calls = new FailingCalls(`${folder}/data.sv/`);
    server = await startServer({ folder, masterKey: MASTER_KEY, env: calls.env });
    await makeIndexes(server.url);
  });

  afterAll(async () => {
    await server?.stop('SIGKILL');
    calls?.remove();
    remove();
  });

  const count = async (uid: string): Promise<number> =>
    (await ask<{ total: number }>(`${server.url}/indexes/${uid}/documents?limit=0`)).total;

  /** Lets the first, second, third call of a batch fail until it makes no more calls. */
  async function failEach(
    error: 'ENOSPC' | 'EIO',
    failures: number | undefined,
    round: (about: string) => Promise<void>,
  ): Promise<number> {
    for (let skipped = 0; skipped < MOST_CALLS; skipped += 1) {
      calls.begin({
        calls: ['open', 'write', 'sync', 'rename'],
        error,
        text: 'indexes/',
        skipped,
        ...(failures === undefined ? {} : { failures }),
      });
      await round(`call ${skipped + 1}`);
      if (calls.end() <= skipped) return skipped;
    }
    return MOST_CALLS;
  }

  test.each(['ENOSPC', 'EIO'] as const)(
    'once with %s, documents are there when their task has succeeded, and only then',
    async (error) => {
      const n = await failEach(error, 1, async (about) => {
        const before = await heldByIndex(server.url, 'films');
        const total = await count('films');
        const task = await write(
          server.url,
          'POST',
          '/indexes/films/documents',
          newDocuments(ADDED, 'x'),
        );
        const after = await count('films');
        if (task.status === 'failed')
          expect(await heldByIndex(server.url, 'films'), about).toEqual(before);
        else expect(after, about).toBe(total + ADDED);
      });
      expect(n).toBeGreaterThan(20);
      expect(n).toBeLessThan(MOST_CALLS);
    },
  );

  test.each([
    ['columns', 'filterableAttributes', ['genre', 'year', '_geo'], ['genre', '_geo', 'title']],
    ['words', 'stopWords', ['the'], ['first', 'film']],
  ])('once, %s are those of the settings that the index shows', async (_, name, one, other) => {
    let next = one;
    const n = await failEach('EIO', 1, async (about) => {
      const before = await heldByIndex(server.url, 'others');
      next = next === one ? other : one;
      const task = await write(server.url, 'PATCH', '/indexes/others/settings', { [name]: next });
      const shown = await ask<Record<string, unknown>>(`${server.url}/indexes/others/settings`);
      if (task.status === 'failed')
        expect(await heldByIndex(server.url, 'others'), about).toEqual(before);
      else expect([...(shown[name] as string[])].sort(), about).toEqual([...next].sort());
    });
    expect(n).toBeGreaterThan(5);
    expect(n).toBeLessThan(MOST_CALLS);
  });

  test('and all after it, the index is whole, and takes writes again later', async () => {
    await failEach('ENOSPC', undefined, async (about) => {
      const total = await count('films');
      await write(server.url, 'POST', '/indexes/films/documents', newDocuments(ADDED, 'y'));
      calls.end();
      expect([total, total + ADDED], about).toContain(await count('films'));
      const task = await write(
        server.url,
        'POST',
        '/indexes/films/documents',
        newDocuments(1, 'z'),
      );
      expect(task.status, about).toBe('succeeded');
    });
    const films = await heldByIndex(server.url, 'films');
    const others = await heldByIndex(server.url, 'others');
    await server.stop('SIGKILL');
    server = await startServer({ folder, masterKey: MASTER_KEY, env: calls.env });
    expect(await heldByIndex(server.url, 'films')).toEqual(films);
    expect(await heldByIndex(server.url, 'others')).toEqual(others);
  });
});
