import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { type Block, blocksOf } from './page-blocks.js';

const run = promisify(execFile);
const MINUTE_MS = 60_000;
const MASTER_KEY = 'sixteen-bytes-and-more';
const FILMS = 'movies.ndjson.gz';

type Server = Awaited<ReturnType<typeof startServer>>;

let folder: string;
let target: Server;
let source: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serval-page-commands-'));
  mkdirSync(join(folder, 'demo'));
  for (const path of [FILMS, join('demo', FILMS)]) {
    cpSync(inRoot('demo', FILMS), join(folder, path));
  }
  const command = `#!/bin/sh\nexec "${process.execPath}" "${inRoot('dist', 'cli.js')}" "$@"\n`;
  writeFileSync(join(folder, 'serval'), command, { mode: 0o755 });
  [target, source] = await Promise.all([
    startServer({ masterKey: MASTER_KEY }),
    startServer({ masterKey: MASTER_KEY }),
  ]);
}, MINUTE_MS);

afterAll(async () => {
  await Promise.all([target?.remove(), source?.remove()]);
  rmSync(folder, { recursive: true, force: true });
});

/** The blocks of a page that call the command. */
function commandsOf(page: string): Block[] {
  return blocksOf(page).filter(
    ({ language, code, mark }) =>
      language === 'sh' && /^serval /m.test(code) && mark?.startsWith('not run: ') !== true,
  );
}

/** Addresses of pages: the server that commands work on, and the one that is copied. */
function withAddresses(code: string, page: string): string {
  const own = page === 'docs/migrate.md' ? 7701 : 7700;
  return code
    .replaceAll(`http://127.0.0.1:${own}`, target.url)
    .replaceAll(/http:\/\/(other|127\.0\.0\.1):7700/g, source.url)
    .replaceAll('SVC_API_KEY=...', `SVC_API_KEY=${MASTER_KEY}`);
}

test.each(['README.md', 'docs/command-line.md', 'docs/migrate.md'])(
  'the commands of %s do what they should, one after the other',
  { timeout: 3 * MINUTE_MS },
  async (page) => {
    const blocks = commandsOf(page);
    expect(blocks.length).toBeGreaterThan(0);
    const env = {
      ...process.env,
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      MASTER_KEY,
      SVC_URL: target.url,
      SVC_API_KEY: MASTER_KEY,
      SVC_FROM_KEY: MASTER_KEY,
    };
    for (const { code } of blocks) {
      const script = withAddresses(code, page);
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: folder,
        env,
      });
      if (/^serval search/m.test(code)) expect(stdout).toContain('The Godfather');
    }
  },
);
