import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { Serval } from '../../src/serval.js';

const run = promisify(execFile);
const ENTRY = inRoot('dist', 'index.js');

const abandoned = (): string[] =>
  ['/dev/shm', tmpdir()]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.includes('serval-memory-'));

/** Runs a program with the built package, and returns what it printed. */
async function output(program: string): Promise<string> {
  const code = `const { Serval } = await import(${JSON.stringify(ENTRY)}); ${program}`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code]);
  return stdout.trim();
}

describe('an instance in memory', () => {
  test.each([
    ['Serval.memory()', () => Serval.memory()],
    ["open(':memory:')", () => Serval.open(':memory:')],
  ])('of %s searches like another, and leaves nothing when it is closed', async (_, open) => {
    const db = await open();
    const { path } = db.folder;
    await (await db.index('books').addDocuments([{ id: 1, title: 'Dune' }])).wait();
    const { hits } = await db.index('books').search('dun');
    await db.close();

    expect(hits).toEqual([{ id: 1, title: 'Dune' }]);
    expect(existsSync(dirname(path))).toBe(false);
  });

  test('of which several are open shares nothing with the others', async () => {
    const instances = await Promise.all([Serval.memory(), Serval.memory(), Serval.memory()]);
    for (const [at, db] of instances.entries()) {
      await (await db.index('one').addDocuments([{ id: at }])).wait();
    }
    const found = await Promise.all(instances.map((db) => db.index('one').getDocuments()));
    await Promise.all(instances.map((db) => db.close()));

    expect(found.map(({ results }) => results)).toEqual([[{ id: 0 }], [{ id: 1 }], [{ id: 2 }]]);
  });

  test('that a program forgets to close is removed when the program exits', async () => {
    const path = await output(
      'console.log((await Serval.memory()).snapshotFolder ?? "");process.exit(0)',
    );

    expect(path).toBe('');
    expect(abandoned()).toEqual([]);
  });

  test('that a killed program left is removed by the next one, unless somebody uses it', async () => {
    const used = await Serval.memory();
    const place = dirname(dirname(used.folder.path));
    const left = join(place, 'serval-memory-abandoned');
    mkdirSync(join(left, 'data.sv'), { recursive: true });
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const path of [left, dirname(used.folder.path)]) utimesSync(path, longAgo, longAgo);
    const next = await Serval.memory();
    const paths = [left, used.folder.path].map((path) => existsSync(path));
    await next.close();
    await used.close();

    expect(paths).toEqual([false, true]);
  });
});
