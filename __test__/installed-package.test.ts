import { execFile } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packAll } from '../scripts/pack.mjs';
import { startRegistry } from '../scripts/package/registry.mjs';
import { Trial } from '../scripts/package/trial.mjs';
import { scratch } from '../scripts/paths.mjs';
import { publishAll } from '../scripts/publish.mjs';

const MINUTE_MS = 60_000;
const tarballs = join(scratch, 'tarballs-of-tests');

describe('the tarballs, installed in an empty folder of a machine with Node alone,', {
  timeout: 2 * MINUTE_MS,
}, () => {
  let packed: string[] = [];
  let trial: Trial;

  beforeAll(async () => {
    packed = await packAll(tarballs);
    trial = await Trial.install(tarballs);
  }, 3 * MINUTE_MS);

  afterAll(() => {
    trial?.remove();
    rmSync(tarballs, { recursive: true, force: true });
  });

  test('are those of the package and of the platforms whose addon is built', () => {
    expect(packed.length).toBeGreaterThan(1);
    expect(packed.at(-1)).toMatch(/^serval-\d+\.\d+\.\d+.*\.tgz$/);
    for (const name of packed.slice(0, -1)) expect(name).toMatch(/^serval-[a-z]+\d*-(x64|arm64)/);
  });

  test('bring the addon of this platform and no other package', () => {
    expect(trial.packages()).toHaveLength(2);
    const fetched = trial.asked.filter((path) => path.endsWith('.tgz'));
    expect(fetched).toHaveLength(2);
    for (const name of trial.packages()) {
      expect(fetched.some((path) => path.startsWith(`${name}-`))).toBe(true);
    }
  });

  test.each(['import', 'require'] as const)('embed the engine by %s', async (way) => {
    expect(await trial.embed(way)).toBe('The Godfather\n');
  });

  test('have types that ES modules and CommonJS compile against', async () => {
    expect(await trial.checkTypes()).toBe('');
  });

  test('serve by npx, and search by command what the server left', async () => {
    expect(await trial.serve()).toMatchObject({ hits: [{ id: 1, title: 'Alien' }] });
    expect(JSON.parse(await trial.command())).toMatchObject({ hits: [{ title: 'Alien' }] });
  });

  test('say in a few words which package is missing where optional ones were left out', async () => {
    const [missing = ''] = trial.packages().filter((name) => name !== 'serval');
    const folder = join(trial.folder, 'node_modules');
    renameSync(join(folder, missing), join(trial.folder, missing));
    const cli = join(folder, 'serval', 'dist', 'cli.js');
    for (const words of [
      [],
      ['import', '-', '--format', 'ndjson', '--index', 'x', '--db-path', 'new'],
    ]) {
      const { code, stderr } = await promisify(execFile)(process.execPath, [cli, ...words], {
        cwd: trial.folder,
        env: trial.env,
      }).catch((error) => error);
      expect(code).toBe(1);
      expect(stderr.split('\n')).toHaveLength(3);
      expect(stderr).toContain(`npm install ${missing}@`);
    }
    renameSync(join(trial.folder, missing), join(folder, missing));
  });

  test('are published platforms first, and once only', async () => {
    const registry = await startRegistry();
    const token = `--${registry.url.slice('http:'.length)}:_authToken=of-the-test`;
    const options = {
      withProvenance: false,
      flags: ['--registry', registry.url, token, '--prefer-online'],
    };
    try {
      expect(await publishAll(tarballs, options)).toEqual(packed);
      expect(registry.published.at(-1)).toBe('serval');
      expect(await publishAll(tarballs, options)).toEqual([]);
      expect(registry.published).toHaveLength(packed.length);
    } finally {
      registry.close();
    }
  });
});
