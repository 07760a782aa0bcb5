import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeOlder, OLDER } from '../upgrade/older-folder.js';
import { films, newFolder, start } from './servers.js';
import { ask, ended, type ShownTask, write } from './talk.js';

const MINUTE_MS = 60_000;

describe('a server on data of an older version', { timeout: 2 * MINUTE_MS }, () => {
  test('says how to go on, and goes on when it is told to upgrade', async () => {
    const folder = await newFolder();
    const before = await start(folder);
    await write(before.url, 'PUT', '/indexes/films/settings/filterable-attributes', ['genres']);
    await write(before.url, 'POST', '/indexes/films/documents', await films());
    const search = { q: 'spac', filter: 'genres EXISTS', limit: 30 };
    const hitsOf = async (url: string) =>
      (await ask<{ hits: unknown[] }>(`${url}/indexes/films/search`, 'POST', search)).hits;
    const expected = await hitsOf(before.url);
    expect(expected.length).toBeGreaterThan(1);
    await before.stop();
    makeOlder(join(folder, 'data.sv'));

    const refused = await start(folder).catch((error: Error) => error.message);
    expect(refused).toContain(`serval: Your database version (${OLDER}) is incompatible with`);
    expect(refused).toContain('`--upgrade-db` or `SVC_UPGRADE_DB=true`');
    expect(refused).not.toContain('    at ');
    expect(readFileSync(join(folder, 'data.sv', 'VERSION'), 'utf8')).toBe(OLDER);

    const { url } = await start(folder, '--upgrade-db');
    const { results } = await ask<{ results: ShownTask[] }>(`${url}/tasks?types=upgradeDatabase`);
    expect(results.length).toBe(1);
    expect(await ended(url, results[0]?.uid ?? -1)).toMatchObject({
      indexUid: null,
      status: 'succeeded',
      details: { upgradeFrom: `v${OLDER}`, upgradeTo: expect.stringMatching(/^v\d/) },
    });
    expect(await hitsOf(url)).toEqual(expected);
    const stats = await ask<{ stats: { types: object } }>(`${url}/batches/2`);
    expect(stats.stats.types).toEqual({ upgradeDatabase: 1 });
  });
});
