// `npm run profile`: records anew how often each branch of the engine is taken, for builds with this compiler on this
// platform (scripts/build/profile.mjs). Builds the addon with counters, runs benchmarks with it, keeps what was counted.
//
// Wants `llvm-profdata` of the compiler's LLVM or one that reads its files: the component `llvm-tools` of rustup, the
// program that LLVM_PROFDATA names, or one on the PATH.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCounted } from '../bench/measure-counts.mjs';
import { compileAddon } from './build/addon.mjs';
import { buildDist } from './build/dist.mjs';
import { keepProfile, rustCompiler } from './build/profile.mjs';
import { inRoot } from './paths.mjs';

/** Enough for every kind of search to find something; counters make all of it several times slower. */
const PRODUCTS = '60000';

/** @param {string} host */
function profdata(host) {
  const sysroot = execFileSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).trim();
  const component = join(sysroot, 'lib', 'rustlib', host, 'bin', 'llvm-profdata');
  return process.env.LLVM_PROFDATA ?? (existsSync(component) ? component : 'llvm-profdata');
}

/**
 * Runs each operation whose instructions are counted, for what the benchmarks do not do: code that never ran is made
 * small instead of fast.
 * @param {import('./build/profile.mjs').Compiler} compiler
 * @param {{RUSTFLAGS: string}} env
 */
async function operations(compiler, env) {
  execFileSync(await buildCounted(compiler, env), { stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Runs the benchmarks whose work the addon is to be fast at: loads, searches of each class, single updates, changes of
 * settings; films as they are, and products that are made up.
 * @param {string} folder for temporary files
 * @param {NodeJS.ProcessEnv} env
 */
function work(folder, env) {
  const products = join(folder, 'products.ndjson.gz');
  const bench = (/** @type {string[]} */ ...args) =>
    execFileSync(process.execPath, [inRoot('bench', 'main.mjs'), ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const brief = ['--connections', '1', '--seconds', '1', '--batch', '5000'];
  bench('generate', '--documents', PRODUCTS, '--out', products);
  for (const dataset of ['movies', products]) {
    bench('all', '--dataset', dataset, ...brief);
    bench('settings', '--dataset', dataset, ...brief);
  }
}

const compiler = rustCompiler();
if (compiler === undefined) throw new Error('no Rust compiler was found');
const folder = mkdtempSync(join(tmpdir(), 'serval-profile-'));
try {
  const counts = join(folder, 'counts');
  const addon = join(folder, 'addon');
  const RUSTFLAGS = `-Cprofile-generate=${counts}`;
  await compileAddon({ rustFlags: RUSTFLAGS, output: addon });
  await buildDist();
  const name = readdirSync(addon).find((file) => file.endsWith('.node')) ?? '';
  work(folder, { NAPI_RS_NATIVE_LIBRARY_PATH: join(addon, name) });
  await operations(compiler, { RUSTFLAGS });
  const profile = join(folder, 'serval.profdata');
  execFileSync(profdata(compiler.host), ['merge', '--sparse', '-o', profile, counts], {
    stdio: 'inherit',
  });
  keepProfile(compiler, readFileSync(profile));
  console.error(`recorded the profile of ${compiler.host}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
