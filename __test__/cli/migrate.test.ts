import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { ask, MASTER_KEY, write } from '../server/talk.js';
import { serval, workFolder } from './run-cli.js';

const MOVIES = inRoot('__test__/fixtures/movies-500.ndjson');
const KEY = { name: 'web', actions: ['search'], indexes: ['films'], expiresAt: null };
const SETTINGS = {
  rankingRules: ['words', 'typo', 'year:desc'],
  filterableAttributes: ['genres'],
  synonyms: { film: ['movie'] },
};
const EMBEDDERS = { own: { source: 'userProvided', dimensions: 2 } };

let source: Awaited<ReturnType<typeof startServer>>;
let from: string[];

beforeAll(async () => {
  source = await startServer({ masterKey: MASTER_KEY });
  from = ['import', '--from', source.url, '--from-key', MASTER_KEY];
  await write(source.url, 'PATCH', '/indexes/films/settings', SETTINGS);
  const env = { SVC_URL: source.url, SVC_API_KEY: MASTER_KEY };
  await serval(['import', MOVIES, '--index', 'films'], { env });
  const rows = [
    { ref: 'a', n: 1, _vectors: { own: [1, 2] } },
    { ref: 'b', n: 2, _vectors: { own: null } },
  ];
  await write(source.url, 'POST', '/indexes', { uid: 'vectors', primaryKey: 'ref' });
  await write(source.url, 'PATCH', '/indexes/vectors/settings', { embedders: EMBEDDERS });
  await write(source.url, 'POST', '/indexes/vectors/documents', rows);
  await write(source.url, 'POST', '/indexes', { uid: 'empty' });
  await ask(`${source.url}/keys`, 'POST', KEY);
});

afterAll(() => source.remove());

/** Everything of an instance that a copy should have. */
async function contents(url: string) {
  const { results } = await ask<{ results: { uid: string; primaryKey: string }[] }>(
    `${url}/indexes`,
  );
  const indexes = results.map(async ({ uid, primaryKey }) => {
    const body = { limit: 1000, retrieveVectors: true };
    const fetched = await ask<{ results: unknown[] }>(
      `${url}/indexes/${uid}/documents/fetch`,
      'POST',
      body,
    );
    return {
      uid,
      primaryKey,
      documents: fetched.results,
      settings: await ask(`${url}/indexes/${uid}/settings`),
    };
  });
  const keys = await ask<{ results: { uid: string; key: string; name: string }[] }>(`${url}/keys`);
  const own = keys.results
    .filter(({ name }) => name === 'web')
    .map(({ uid, key }) => ({ uid, key }));
  return { indexes: await Promise.all(indexes), keys: own };
}

describe('a whole instance', { timeout: 120_000 }, () => {
  test('is copied to another server: settings, documents, vectors and keys', async () => {
    const target = await startServer({ masterKey: MASTER_KEY });
    try {
      const cwd = workFolder();
      const env = { SVC_URL: target.url, SVC_API_KEY: MASTER_KEY };
      const run = await serval([...from, '--json'], { cwd, env });
      const said = JSON.parse(run.out);

      expect(run.code).toBe(0);
      expect(said.indexes).toEqual([
        { index: 'empty', documents: 0, found: 0 },
        { index: 'films', documents: 500, found: 500 },
        { index: 'vectors', documents: 2, found: 2 },
      ]);
      expect(said.keys).toEqual({ copied: 5, sameSecrets: true });
      expect(said.notes).toEqual([]);
      expect(await contents(target.url)).toEqual(await contents(source.url));
    } finally {
      await target.remove();
    }
  });

  test('is copied further from where it was interrupted', async () => {
    const cwd = workFolder();
    const args = [
      ...from,
      '--db-path',
      'data.sv',
      '--batch-documents',
      '5',
      '--state',
      'state.json',
      '--no-keys',
    ];
    const state = join(cwd, 'state.json');
    const sent = (): number =>
      existsSync(state)
        ? (JSON.parse(readFileSync(state, 'utf8')).indexes.films?.documents ?? 0)
        : 0;
    let timer: NodeJS.Timeout | undefined;
    const first = await serval(args, {
      cwd,
      watch: (kill) => {
        timer = setInterval(() => {
          if (sent() < 20) return;
          clearInterval(timer);
          kill('SIGINT');
        }, 1);
      },
    });
    clearInterval(timer);
    const before = sent();
    const second = await serval([...args, '--json'], { cwd });
    const folder = ['--db-path', 'data.sv'];
    const copied = await serval(['export', 'films', ...folder], { cwd });
    const original = await serval([
      'export',
      'films',
      '--url',
      source.url,
      '--api-key',
      MASTER_KEY,
    ]);

    expect({ code: first.code, err: first.err }).toEqual({
      code: 130,
      err: 'serval: interrupted\n',
    });
    expect(before).toBeGreaterThanOrEqual(20);
    expect(before).toBeLessThan(500);
    expect({ code: second.code, err: second.err }).toEqual({
      code: 0,
      err: 'going on with the copy noted in state.json\n',
    });
    expect(copied.out).toBe(original.out);
    expect(existsSync(state)).toBe(false);
  });

  test('is copied in part, and keys are told to be new under another master key', async () => {
    const target = await startServer({ masterKey: 'anotherMasterKey' });
    try {
      const cwd = workFolder();
      const env = { SVC_URL: target.url, SVC_API_KEY: 'anotherMasterKey' };
      const run = await serval([...from, '--indexes', 'vec*'], { cwd, env });
      const keys = await serval(['keys', '--json'], { env });

      expect(run.code).toBe(0);
      expect(run.out).toBe('index    documents\nvectors          2\n5 keys copied\n');
      expect(run.err).toContain('keys have new secrets');
      expect(JSON.parse(keys.out)).toContainEqual(expect.objectContaining({ name: 'web' }));
      expect((await serval([...from, '--indexes', 'none'], { cwd, env })).code).toBe(5);
    } finally {
      await target.remove();
    }
  });

  test('is not copied with the state of another copy', async () => {
    const cwd = workFolder();
    const other = { source: 'http://other', target: 'x', indexes: {} };
    writeFileSync(join(cwd, 'state.json'), JSON.stringify(other));
    const run = await serval([...from, '--db-path', 'data.sv', '--state', 'state.json'], { cwd });

    expect(run.code).toBe(1);
    expect(run.err).toContain('http://other');
  });
});
