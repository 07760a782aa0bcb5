import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { ask, MASTER_KEY, write } from '../server/talk.js';
import { serval, workFolder } from './run-cli.js';

const MOVIES = inRoot('__test__/fixtures/movies-500.ndjson');
const MINUTE_MS = 60_000;

let server: Awaited<ReturnType<typeof startServer>>;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startServer({ masterKey: MASTER_KEY });
  env = { SVC_URL: server.url, SVC_API_KEY: MASTER_KEY };
});

afterAll(() => server.remove());

const count = async (uid: string): Promise<number> =>
  (await ask<{ numberOfDocuments: number }>(`${server.url}/indexes/${uid}/stats`))
    .numberOfDocuments;

const documents = async (uid: string): Promise<unknown[]> =>
  (await ask<{ results: unknown[] }>(`${server.url}/indexes/${uid}/documents?limit=1000`)).results;

describe('serval import', { timeout: MINUTE_MS }, () => {
  test('sends a file in batches to the index of its name', async () => {
    const cwd = workFolder();
    writeFileSync(join(cwd, 'films.ndjson.gz'), gzipSync(readFileSync(MOVIES)));
    const run = await serval(['import', 'films.ndjson.gz', '--batch-size', '20kB', '--json'], {
      cwd,
      env,
    });
    const [file] = JSON.parse(run.out).files;

    expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: '' });
    expect(file).toMatchObject({ file: 'films.ndjson.gz', index: 'films', documents: 500 });
    expect(file.tasks.length).toBeGreaterThan(3);
    expect(await count('films')).toBe(500);
  });

  test.each([
    ['json', 'rows.json', '[\n  {"id": 1, "t": "a, \\"b\\" ]"},\n  {"id": 2, "t": "é"}\n]\n'],
    ['csv', 'rows.csv', 'id,t\n1,"a, ""b"" ]"\n2,é\n'],
    ['ndjson', 'rows.jsonl', '{"id": 1, "t": "a, \\"b\\" ]"}\n{"id": 2, "t": "é"}\n'],
  ])('reads %s', async (format, name, text) => {
    const cwd = workFolder();
    writeFileSync(join(cwd, name), text);
    const args = ['import', name, '--index', `rows-${format}`, '--batch-size', '20'];
    const run = await serval(args, { cwd, env });
    const id = (number: number) => (format === 'csv' ? String(number) : number);

    expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: '' });
    expect(await documents(`rows-${format}`)).toEqual([
      { id: id(1), t: 'a, "b" ]' },
      { id: id(2), t: 'é' },
    ]);
  });

  test('reads standard input, and changes fields with --update', async () => {
    await write(server.url, 'POST', '/indexes/changed/documents', [{ id: 1, a: 1, b: 1 }]);
    const args = ['import', '-', '--index', 'changed', '--format', 'ndjson', '--update'];
    const run = await serval(args, { env, input: '{"id":1,"b":2}\n' });

    expect(run.code).toBe(0);
    expect(await documents('changed')).toEqual([{ id: 1, a: 1, b: 2 }]);
  });

  test('fills a data folder that no server runs on', async () => {
    const cwd = workFolder();
    const folder = ['--db-path', join(cwd, 'data.sv')];
    const made = await serval(['import', MOVIES, '--index', 'films', ...folder], { cwd });
    const found = await serval(['search', 'films', 'after', 'dark', '--json', ...folder], { cwd });

    expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(found.out).hits[0]).toHaveProperty('title');
  });

  test.each([
    ['a file that is not there', ['none.ndjson'], 5, 'there is no file none.ndjson'],
    ['a format that is not known', ['rows.txt'], 2, 'say --format'],
    ['no file at all', [], 2, 'name files to import'],
    ['an option that is none', ['rows.txt', '--indx', 'x'], 2, 'did you mean --index?'],
    ['an option without its value', ['rows.txt', '--index'], 2, '--index'],
    ['a format that is none', ['rows.txt', '--format', 'xml'], 2, 'json, ndjson, csv'],
    ['a wrong key', ['rows.ndjson', '--api-key', 'wrong'], 4, 'API key is invalid'],
    ['a server that is not there', ['rows.ndjson', '--url', 'http://127.0.0.1:9'], 3, 'no answer'],
    ['documents that are refused', ['rows.ndjson', '--primary-key', 'x'], 1, 'did not succeed'],
    ['what cannot be read', ['broken.ndjson'], 1, 'malformed'],
    [
      'both a server and a folder',
      ['rows.ndjson', '--url', 'http://x', '--db-path', 'x'],
      2,
      'exclude',
    ],
  ])('ends with its own exit status for %s', async (_, words, code, reason) => {
    const cwd = workFolder();
    for (const name of ['rows.ndjson', 'rows.txt']) writeFileSync(join(cwd, name), '{"id":1}\n');
    writeFileSync(join(cwd, 'broken.ndjson'), '{"id":');
    const run = await serval(['import', ...words], { cwd, env });

    expect(run).toMatchObject({ code, out: '' });
    expect(run.err).toContain(reason);
    expect(run.err).not.toContain('    at ');
  });
});

describe('serval export', { timeout: MINUTE_MS }, () => {
  const rows = '[{"id":12345678901234567,"t":"a"},{"id":2,"t":"x,\\"y\\"","n":{"m":[1]}}]';

  beforeAll(async () => {
    await ask(`${server.url}/indexes/big/settings`, 'PATCH', { stopWords: ['the'] });
    const headers = { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' };
    const url = `${server.url}/indexes/big/documents`;
    await fetch(url, { method: 'POST', headers, body: rows });
    await write(server.url, 'PATCH', '/indexes/big/settings', { filterableAttributes: ['id'] });
  });

  test('writes documents as they are to standard output', async () => {
    const run = await serval(['export', 'big'], { env });
    expect(run).toEqual({
      code: 0,
      out: '{"id":12345678901234567,"t":"a"}\n{"id":2,"t":"x,\\"y\\"","n":{"m":[1]}}\n',
      err: '',
    });
  });

  test('writes JSON, CSV and compressed files that an import reads back', async () => {
    const cwd = workFolder();
    for (const name of ['big.json', 'big.csv', 'big.ndjson.gz']) {
      const run = await serval(['export', 'big', '--output', name], { cwd, env });
      expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: '' });
    }

    expect(JSON.parse(readFileSync(join(cwd, 'big.json'), 'utf8'))).toEqual(JSON.parse(rows));
    expect(readFileSync(join(cwd, 'big.csv'), 'utf8')).toContain('2,"x,""y""","{""m"":[1]}"\n');
    expect(String(gunzipSync(readFileSync(join(cwd, 'big.ndjson.gz'))))).toContain('"id":2');
  });

  test('chooses documents and attributes', async () => {
    const run = await serval(['export', 'big', '--filter', 'id = 2', '--fields', 'id,t'], { env });
    expect(JSON.parse(run.out)).toEqual({ id: 2, t: 'x,"y"' });
  });

  test('writes every index with its settings to a folder', async () => {
    const cwd = workFolder();
    const run = await serval(['export', '--all', '--output', 'copy', '--json'], { cwd, env });
    const files = readdirSync(join(cwd, 'copy'));

    expect(run.code).toBe(0);
    expect(files).toEqual(expect.arrayContaining(['big.ndjson', 'big.settings.json']));
    const settings = JSON.parse(readFileSync(join(cwd, 'copy', 'big.settings.json'), 'utf8'));
    expect(settings.stopWords).toEqual(['the']);
  });

  test('says what is missing', async () => {
    expect(await serval(['export', 'none'], { env })).toMatchObject({ code: 5 });
    expect(await serval(['export'], { env })).toMatchObject({ code: 2 });
    expect(await serval(['export', 'x', '--db-path', 'none'], { env })).toMatchObject({ code: 5 });
  });
});

describe('serval dump and snapshot', { timeout: MINUTE_MS }, () => {
  test('make files on the server, and in a data folder', async () => {
    const cwd = workFolder();
    const folder = ['--db-path', join(cwd, 'data.sv')];
    await serval(['import', MOVIES, '--index', 'films', ...folder], { cwd });
    const dump = await serval(['dump', ...folder, '--json'], { cwd });
    const snapshot = await serval(['snapshot', ...folder], { cwd });
    const remote = [await serval(['dump'], { env }), await serval(['snapshot'], { env })];

    expect(readdirSync(join(cwd, 'data.sv', 'dumps'))).toEqual([JSON.parse(dump.out).file]);
    expect(readdirSync(join(cwd, 'data.sv', 'snapshots'))).toEqual(['data.sv.snapshot']);
    expect([snapshot, ...remote].map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(readdirSync(join(server.folder, 'dumps'))).toEqual([remote[0]?.out.trim()]);
  });
});

describe('serval keys', () => {
  test('are made, listed, shown and deleted, on a server and in a data folder alike', async () => {
    const cwd = workFolder();
    const folder = ['--db-path', join(cwd, 'data.sv'), '--api-key', MASTER_KEY];
    await serval(['import', MOVIES, '--index', 'films', ...folder], { cwd });
    for (const target of [[], folder]) {
      const words = ['--actions', 'search,documents.get', '--indexes', 'films', '--name', 'web'];
      const made = await serval(['keys', 'create', ...words, '--json', ...target], { env, cwd });
      const { uid, key } = JSON.parse(made.out);
      const listed = await serval(['keys', '--json', ...target], { env, cwd });
      const shown = await serval(['keys', 'show', uid, ...target], { env, cwd });
      const deleted = await serval(['keys', 'delete', uid, ...target], { env, cwd });
      const gone = await serval(['keys', 'show', uid, ...target], { env, cwd });

      expect(JSON.parse(listed.out)[0]).toMatchObject({ uid, name: 'web', indexes: ['films'] });
      expect(shown.out).toContain(key);
      expect([deleted.code, gone.code]).toEqual([0, 5]);
    }
  });

  test('refuse what is no command and what cannot be a key', async () => {
    expect(await serval(['keys', 'remove', 'x'], { env })).toMatchObject({ code: 2 });
    expect(await serval(['keys', 'create'], { env })).toMatchObject({ code: 2 });
    const wrong = await serval(['keys', 'create', '--actions', 'fly'], { env });
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain('`fly`');
  });
});

describe('serval search', () => {
  beforeAll(async () => {
    const rows = [
      { id: 1, title: 'The Godfather', year: 1972, genres: ['Drama'] },
      { id: 2, title: 'Godzilla', year: 1954, genres: ['Horror'] },
    ];
    const settings = { filterableAttributes: ['year', 'genres'], sortableAttributes: ['year'] };
    await write(server.url, 'PATCH', '/indexes/found/settings', settings);
    await write(server.url, 'POST', '/indexes/found/documents', rows);
  });

  test('prints a table without colours where there is no terminal', async () => {
    const words = ['god', '--sort', 'year:asc', '--attributes', 'title,year', '--facets', 'genres'];
    const run = await serval(['search', 'found', ...words], { env });
    const lines = run.out.split('\n');

    expect(lines.slice(0, 3)).toEqual([
      'title          year',
      'Godzilla       1954',
      'The Godfather  1972',
    ]);
    expect(lines[3]).toMatch(/^2 of about 2 hits, \d+ ms$/);
    expect(run.out).toContain('genres  documents\nDrama           1\nHorror          1\n');
    expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: '' });
  });

  test('prints the answer as it came with --json', async () => {
    const run = await serval(['search', 'found', 'god', '-f', 'year > 1960', '--json'], { env });
    expect(JSON.parse(run.out).hits).toEqual([
      { id: 1, title: 'The Godfather', year: 1972, genres: ['Drama'] },
    ]);
  });

  test('says what is wrong with a search', async () => {
    const run = await serval(['search', 'found', '--filter', 'year >'], { env });
    expect(run.code).toBe(1);
    expect(run.err).toContain('year >');
    expect(await serval(['search', 'none'], { env })).toMatchObject({ code: 5 });
    expect(await serval(['search', 'found', '-n', 'x'], { env })).toMatchObject({ code: 2 });
  });

  test('is measured by serval bench', async () => {
    const cwd = workFolder();
    mkdirSync(join(cwd, 'empty'));
    writeFileSync(join(cwd, 'queries.txt'), 'god\n\nfather\n');
    const words = ['--queries', 'queries.txt', '--seconds', '1', '-c', '2', '--json'];
    const run = await serval(['bench', 'found', ...words], { env, cwd });
    const measured = JSON.parse(run.out);

    expect(run.code).toBe(0);
    expect(measured.searches).toBeGreaterThan(0);
    expect(measured.p50).toBeLessThanOrEqual(measured.p99);
    expect(await serval(['bench', 'none', 'x'], { env })).toMatchObject({ code: 5 });
  });
});
