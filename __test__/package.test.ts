import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CRATE_LICENCES, crateLicences } from '../scripts/package/crate-licences.mjs';
import { publishedManifest } from '../scripts/package/stage.mjs';
import { inRoot, root } from '../scripts/paths.mjs';

const LICENCES = 'THIRD-PARTY-LICENSES.txt';
const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));

/** Paths in the tarball that `npm publish` would send. */
async function packedFiles(): Promise<string[]> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run(npm, args, { cwd: root, maxBuffer: 1 << 26 });
  const [tarball] = JSON.parse(stdout);
  return tarball.files.map((file: { path: string }) => file.path);
}

test('the package holds the compiled server, the glue of the addon, and no sources or tests', async () => {
  const files = await packedFiles();

  for (const needed of ['index.js', 'types/index.d.ts', 'main.js', 'cli.js', LICENCES]) {
    expect(files).toContain(`dist/${needed}`);
  }
  for (const needed of ['native/binding.cjs', 'native/binding.d.cts', 'LICENSE', 'README.md']) {
    expect(files).toContain(needed);
  }
  const expected = /^(dist\/|native\/binding\.|package\.json$|(README|LICENSE|CHANGELOG)(\.md)?$)/;
  expect(files.filter((file) => !expected.test(file))).toEqual([]);
});

test('the licences of the addon name every crate that it links, with a text or an address', () => {
  const text = crateLicences();
  for (const crate of ['tantivy', 'rusqlite', 'napi', 'rhai', 'zstd-sys']) {
    expect(text).toMatch(new RegExp(`^${crate} \\d[^ ]* \\(.+\\) https://`, 'm'));
  }
  expect(text).toContain('Permission is hereby granted');
  expect(text).not.toMatch(/^(proptest|napi-build) /m);
});

test('installing the package runs nothing', () => {
  const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
  expect(hooks.filter((hook) => hook in manifest.scripts)).toEqual([]);
});

test('no dependency runs a script when it is installed', () => {
  const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'));
  const running = Object.entries<{ hasInstallScript?: boolean; dev?: boolean }>(packages)
    .filter(([, entry]) => entry.hasInstallScript && !entry.dev)
    .map(([path]) => path);
  expect(running).toEqual([]);
});

test('the crates, the package and its platform packages have one version', () => {
  const cargo = readFileSync(inRoot('Cargo.toml'), 'utf8');
  expect(/\[workspace\.package\]\nversion = "(.*)"/.exec(cargo)?.[1]).toBe(manifest.version);
  for (const platform of readdirSync(inRoot('npm'))) {
    const own = JSON.parse(readFileSync(inRoot('npm', platform, 'package.json'), 'utf8'));
    expect(own.version).toBe(manifest.version);
    expect(own.name).toBe(`${manifest.name}-${platform}`);
  }
});

test('there is a platform package for every target', () => {
  expect(readdirSync(inRoot('npm'))).toHaveLength(manifest.napi.targets.length);
  for (const platform of readdirSync(inRoot('npm'))) {
    expect(existsSync(inRoot('npm', platform, 'README.md'))).toBe(true);
  }
});

test('the published package names every platform package, the committed one none', () => {
  const names = readdirSync(inRoot('npm')).map((platform) => `${manifest.name}-${platform}`);
  const { optionalDependencies, scripts, devDependencies } = publishedManifest();

  expect(Object.keys(optionalDependencies).sort()).toEqual(names.sort());
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([manifest.version]));
  expect([scripts, devDependencies]).toEqual([undefined, undefined]);
  // They exist from the first release on: until then `npm ci` of a clone could not find them.
  expect(manifest.optionalDependencies).toBeUndefined();
});

test('a platform package fits the platform of its name, and no other', () => {
  const libcs: Readonly<Record<string, string>> = { gnu: 'glibc', musl: 'musl' };
  for (const platform of readdirSync(inRoot('npm'))) {
    const { os, cpu, libc, main, files } = JSON.parse(
      readFileSync(inRoot('npm', platform, 'package.json'), 'utf8'),
    );
    const [system, processor, library = ''] = platform.split('-');
    expect({ os, cpu }, platform).toEqual({ os: [system], cpu: [processor] });
    expect(libc, platform).toEqual(library in libcs ? [libcs[library]] : undefined);
    const addon = `serval.${platform}.node`;
    expect([main, ...files]).toEqual([addon, addon, CRATE_LICENCES]);
  }
});
