import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRoot, npmTool, scratch } from '../scripts/paths.mjs';
import { freePort } from '../scripts/server-process.mjs';

const run = promisify(execFile);
const MINUTE_MS = 60_000;
const COPIES = join(scratch, 'examples');
const MOVIES = [
  { id: 1, title: 'The Godfather', year: 1972 },
  { id: 2, title: 'The Gold Rush', year: 1925 },
];

/** What the examples use of a framework that is not installed here, for the compiler alone. */
const NEST = `declare module '@nestjs/common' {
  type ParameterMark = (target: object, name: string | symbol | undefined, at: number) => void;
  export function Body(): ParameterMark;
  export function Query(name: string): ParameterMark;
  export function Controller(path: string): ClassDecorator;
  export function Get(): MethodDecorator;
  export function Post(): MethodDecorator;
  export function Module(options: { controllers: unknown[]; providers: unknown[] }): ClassDecorator;
}
declare module '@nestjs/core' {
  export const NestFactory: {
    create(module: unknown): Promise<{ enableShutdownHooks(): void; listen(port: number): Promise<void> }>;
  };
}
declare module 'reflect-metadata';
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serval-examples-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * An example copied into this repository's own scope, without its manifest: `serval` is then this
 * package, and the frameworks are those installed here.
 */
function copied(name: string): string {
  const folder = join(COPIES, name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(inRoot('examples', name), folder, { recursive: true });
  rmSync(join(folder, 'package.json'));
  return folder;
}

/** Compiles TypeScript of an example in place; throws what the compiler says. */
async function compiled(name: string, files: readonly string[], ambient = ''): Promise<string> {
  const folder = copied(name);
  const frameworks = join(folder, 'frameworks.d.ts');
  writeFileSync(frameworks, ambient);
  const sources = [...files.map((file) => join(folder, file)), frameworks];
  const kind = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,esnext.disposable'];
  const flags = ['--strict', '--skipLibCheck', '--experimentalDecorators', '--types', 'node'];
  const args = [npmTool('typescript', 'tsc'), ...kind, ...flags, ...sources];
  await run(process.execPath, args, { cwd: inRoot() }).catch(({ stdout }) => {
    throw new Error(stdout);
  });
  return folder;
}

describe('the example for', { timeout: 2 * MINUTE_MS }, () => {
  test('Express answers searches and refusals', async () => {
    const port = await freePort();
    const env = { ...process.env, PORT: String(port), DATA: join(folder, 'express.sv') };
    const child = spawn(process.execPath, [join(copied('express'), 'server.mjs')], { env });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const ask = async (query: string) => {
        const response = await fetch(`http://127.0.0.1:${port}/search?${query}`);
        return { status: response.status, body: (await response.json()) as { hits: unknown[] } };
      };
      const found = await ask('q=godfahter&genre=Drama');
      const none = await ask(`q=godfather&genre=${encodeURIComponent('x" OR id > 0')}`);

      expect(found.status).toBe(200);
      expect(found.body.hits).toMatchObject([{ id: 1, title: 'The Godfather' }]);
      expect(none.body.hits).toEqual([]);
    } finally {
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
  });

  test('Next.js compiles, and its handler answers', async () => {
    const out = await compiled('nextjs', ['app/api/search/route.ts']);
    const program = `
      const { Serval } = await import('serval');
      const { GET } = await import(${JSON.stringify(pathToFileURL(join(out, 'app/api/search/route.js')).href)});
      const missing = await GET(new Request('http://x/api/search?q=a'));
      const db = await globalThis.serval;
      const movies = db.index('movies');
      await movies.updateSettings({ filterableAttributes: ['year'] });
      await (await movies.addDocuments(${JSON.stringify(MOVIES)})).wait();
      const found = await GET(new Request('http://x/api/search?q=the&after=1970'));
      console.log(JSON.stringify([missing.status, await missing.json(), found.status, await found.json()]));
      await db.close();`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: inRoot(),
      env: { ...process.env, DATA: join(folder, 'next.sv') },
    });

    expect(JSON.parse(stdout)).toEqual([
      404,
      { code: 'index_not_found', message: 'Index `movies` not found.' },
      200,
      [{ title: 'The Godfather', year: 1972 }],
    ]);
  });

  test('NestJS compiles, and its provider adds, searches and closes', async () => {
    const files = ['movie-search.ts', 'movie-controller.ts', 'main.ts'];
    const out = await compiled(
      'nestjs',
      files.map((file) => `src/${file}`),
      NEST,
    );
    const program = `
      const { MovieSearch } = await import(${JSON.stringify(pathToFileURL(join(out, 'src/movie-search.js')).href)});
      const movies = await MovieSearch.open(${JSON.stringify(join(folder, 'nest.sv'))});
      console.log((await movies.search('godfahter')).hits.length);
      await movies.add(${JSON.stringify(MOVIES)});
      const { hits } = await movies.search('godfahter');
      await movies.onModuleDestroy();
      console.log(hits[0]._formatted.title);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: inRoot(),
    });

    expect(stdout).toBe('0\nThe <em>Godfather</em>\n');
  });

  test('Markdown finds the section of a note', async () => {
    const notes = join(folder, 'notes', 'deep');
    mkdirSync(notes, { recursive: true });
    writeFileSync(
      join(folder, 'notes', 'food.md'),
      '# Bread\nFlour and water.\n\n## Sourdough\nFeed it daily.\n',
    );
    writeFileSync(join(notes, 'trips.md'), 'No heading here.\n# Alps\nSnow in May.\n');
    const program = join(copied('markdown'), 'search-notes.mjs');
    const search = async (...words: string[]): Promise<string> =>
      (await run(process.execPath, [program, join(folder, 'notes'), ...words])).stdout;

    expect(await search('sourdogh')).toMatch(/^food\.md: Sourdough\n/);
    expect(await search('snow')).toBe('deep/trips.md: Alps\n    # Alps Snow in May.\n');
    await expect(search()).rejects.toMatchObject({ code: 2 });
  });
});

describe('the example that makes vectors', { timeout: 2 * MINUTE_MS }, () => {
  /** Runs an example that stands in the repository itself: there `serval` is this package. */
  const lines = async (name: string, ...args: string[]): Promise<string[]> => {
    const { stdout } = await run(process.execPath, [inRoot('examples', name), ...args]);
    return stdout.trim().split('\n');
  };

  test('asks a service that speaks the protocol of ollama, and finds by what it answers', async () => {
    const [done, ...found] = await lines('embed-movies.mjs', '120');
    expect(done?.trim()).toBe('120 movies: succeeded');
    expect(found).toHaveLength(5);
    for (const line of found) expect(line).toMatch(/^- ./);
  });

  test('runs the model of a folder in its own process', async () => {
    const model = inRoot('crates', 'transformer', 'tests', 'fixtures', 'bert');
    const [done, ...found] = await lines('embed-with-a-model.mjs', model, '60');
    expect(done).toMatch(/^60 movies in [\d.]+ s: succeeded/);
    expect(new Set(found).size).toBe(5);
  });
});

test('every example is named in their list', () => {
  const list = readFileSync(inRoot('examples/README.md'), 'utf8');
  for (const name of [
    'express',
    'nextjs',
    'nestjs',
    'markdown',
    'embed-movies.mjs',
    'embed-with-a-model.mjs',
  ]) {
    expect(list).toContain(`[${name}]`);
  }
});
