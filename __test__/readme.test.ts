import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { inRoot, npmTool, root, scratch } from '../scripts/paths.mjs';
import { startServer } from '../scripts/server-process.mjs';
import { flagOf, OPTION_NAMES, variableOf } from '../src/config/options.js';
import { defaultOf } from '../src/config/options-document.js';

const run = promisify(execFile);
const MINUTE_MS = 60_000;

/** The code blocks of the README that carry `<!-- example: name -->`, in order. */
async function examples(name: string): Promise<string[]> {
  const readme = await readFile(inRoot('README.md'), 'utf8');
  const blocks = readme.matchAll(/<!-- example: (.+) -->\n```\w+\n([\s\S]*?)```/g);
  return [...blocks].flatMap(([, found, code]) => (found === name && code ? [code] : []));
}

describe('the README', () => {
  test('its quick start loads the demo films and finds one in spite of a typo', {
    timeout: 5 * MINUTE_MS,
  }, async () => {
    const server = await startServer();
    try {
      const outputs: string[] = [];
      for (const code of await examples('quick start')) {
        const script = code.replaceAll('http://127.0.0.1:7700', server.url);
        const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
          cwd: root,
          timeout: 2 * MINUTE_MS,
        });
        outputs.push(stdout);
      }
      const [accepted = '', , search = '', filtered = ''] = outputs;

      expect(JSON.parse(accepted)).toMatchObject({ taskUid: 0, indexUid: 'movies' });
      const { hits } = JSON.parse(search);
      expect(hits[0].title).toBe('The Godfather');
      expect(hits[0]._formatted.title).toContain('<em>Godfather</em>');
      const answer = JSON.parse(filtered.trim().split('\n').at(-1) ?? '');
      expect(answer.hits).toHaveLength(3);
      expect(answer.facetDistribution.genres).toHaveProperty('Science Fiction');
    } finally {
      await server.remove();
    }
  });

  test('its sample program compiles and prints what its comment says', {
    timeout: MINUTE_MS,
  }, async () => {
    const [code = ''] = await examples('embedding');
    const said = /console\.log\(.*\/\/ (.*)$/m.exec(code)?.[1];
    // Inside the repository, so that `serval` is this package.
    const folder = join(scratch, 'readme');
    const cwd = await mkdtemp(join(tmpdir(), 'serval-readme-'));
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'sample.mts'), code);
      const flags = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--skipLibCheck'];
      const sources = ['--types', 'node', 'sample.mts'];
      const tsc = npmTool('typescript', 'tsc');
      await run(process.execPath, [tsc, ...flags, ...sources], { cwd: folder }).catch(showOutput);
      const { stdout } = await run(process.execPath, [join(folder, 'sample.mjs')], { cwd });

      expect(said).toBe('The <em>Godfather</em>');
      expect(stdout).toBe(`${said}\n`);
    } finally {
      await rm(cwd, { recursive: true });
    }
  });

  test('it and the page about installing say which Node and which Rust are needed', async () => {
    const manifest = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
    const cargo = await readFile(inRoot('Cargo.toml'), 'utf8');
    const node = /^>=([\d.]+)$/.exec(manifest.engines.node)?.[1];
    const rust = /^rust-version = "([\d.]+)"$/m.exec(cargo)?.[1];
    for (const page of ['README.md', 'docs/install.md']) {
      const text = await readFile(inRoot(page), 'utf8');
      expect(text).toContain(`Node ${node} or later`);
      expect(text).toContain(`Rust ${rust} or later`);
    }
  });

  test('its table of options names flags, variables and defaults that exist', async () => {
    const readme = await readFile(inRoot('README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| `--([\w-]+)` \| `(\w+)` \| ([^|]+) \|/gm)];
    const known = OPTION_NAMES.map((name) => [flagOf(name), variableOf(name), defaultOf(name)]);

    expect(rows.length).toBeGreaterThan(5);
    for (const [, flag, variable, shown = ''] of rows) {
      expect(known).toContainEqual([flag, variable, shown.replaceAll('`', '')]);
    }
  });

  test('its links inside the repository lead somewhere', async () => {
    const readme = await readFile(inRoot('README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => String(link));

    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(inRoot(link)))).toEqual([]);
  });
});

/** A compiler says what is wrong on standard output, which the error of a failed command leaves out. */
function showOutput(error: Error & { stdout?: string }): never {
  throw new Error(`the sample does not compile:\n${error.stdout ?? error.message}`);
}
