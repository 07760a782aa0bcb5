import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { inRoot, npmTool, scratch } from '../../scripts/paths.mjs';
import { COMMANDS } from '../../src/cli/program.js';
import { examplesOfComments, examplesOfPage, promisedOutput } from './document-examples.js';

const run = promisify(execFile);
const MINUTE_MS = 60_000;
const PAGES = ['docs/embed.md', 'docs/command-line.md', 'docs/migrate.md'];
const EXAMPLES = [...PAGES.flatMap(examplesOfPage), ...examplesOfComments()];
/** Inside the repository, so that `serval` is this package. */
const FOLDER = join(scratch, 'examples-of-documents');

const fileOf = (at: number, ending: string): string => join(FOLDER, `example-${at}.${ending}`);

describe('the examples of the documentation', () => {
  beforeAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    for (const [at, { code }] of EXAMPLES.entries()) writeFileSync(fileOf(at, 'mts'), code);
    const kind = [
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023,esnext.disposable',
    ];
    const flags = ['--strict', '--skipLibCheck', '--types', 'node'];
    const files = EXAMPLES.map((_, at) => fileOf(at, 'mts'));
    const args = [npmTool('typescript', 'tsc'), ...kind, ...flags, ...files];
    await run(process.execPath, args).catch(({ stdout }) => {
      throw new Error(`examples do not compile:\n${stdout}`);
    });
  }, 2 * MINUTE_MS);

  test('are found, in pages and in comments', () => {
    expect(EXAMPLES.filter(({ place }) => place.startsWith('docs/')).length).toBeGreaterThan(5);
    expect(EXAMPLES.filter(({ place }) => place.startsWith('src/')).length).toBeGreaterThan(8);
  });

  test.each(EXAMPLES.map(({ place, code }, at) => ({ place, code, at })))(
    '$place prints what its comments say',
    { timeout: MINUTE_MS },
    async ({ code, at }) => {
      const cwd = mkdtempSync(join(tmpdir(), 'serval-example-'));
      try {
        const { stdout, stderr } = await run(process.execPath, [fileOf(at, 'mjs')], { cwd });
        expect({ stdout, stderr }).toEqual({ stdout: promisedOutput(code), stderr: '' });
        expect(stdout).not.toBe('');
      } finally {
        rmSync(cwd, { recursive: true });
      }
    },
  );
});

test.each(PAGES)('the links of %s lead somewhere', (page) => {
  const text = readFileSync(inRoot(page), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => String(link));
  expect(links.filter((link) => !existsSync(join(dirname(inRoot(page)), link)))).toEqual([]);
});

test('the page about programs names every option of an instance', () => {
  const source = readFileSync(inRoot('src/serval-options.ts'), 'utf8');
  const declared = [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+(\w+)\?:/g)];
  const names = declared.flatMap(([, comment = '', name = '']) =>
    comment.includes('@internal') ? [] : [name],
  );
  const [, table = ''] = readFileSync(inRoot('docs/embed.md'), 'utf8').split('\n## Options\n');
  const rows = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  );
  expect(rows.sort()).toEqual(names.sort());
});

test.each([
  ['src/serval.ts', ['apiKeys']],
  ['src/embedded/index-handle.ts', []],
])('the page about programs names every method of %s that is public', (path, left) => {
  const source = readFileSync(inRoot(path), 'utf8');
  const page = readFileSync(inRoot('docs/embed.md'), 'utf8');
  const methods = source.matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(?:static )?(?:async )?\*?(\w+)(?:<[^(]*>)?\(/g,
  );
  const names = [...methods].flatMap(([, comment = '', name = '']) =>
    comment.includes('@internal') || name === 'constructor' ? [] : [name],
  );
  expect(names.length).toBeGreaterThan(8);
  // Those of no use in most programs are told in their comments alone.
  expect(names.filter((name) => !page.includes(name))).toEqual(left);
});

test('the page about the command line names every command', () => {
  const text = readFileSync(inRoot('docs/command-line.md'), 'utf8');
  for (const { name } of COMMANDS) expect(text).toContain(`serval ${name}`);
});
