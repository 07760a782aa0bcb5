// The recorded profile of the addon: how often each branch of the engine was taken in runs of the benchmark. The
// compiler lays out and inlines hot code by it (docs/adr/0034). Names and branches of functions are those of one
// version of the compiler on one platform; with any other the addon is built without a profile.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { inRoot, scratch } from '../paths.mjs';

/** Recorded profiles: for each platform `TRIPLE.profdata.gz`, and `TRIPLE.json` that says of which compiler it is. */
export const PROFILES = inRoot('scripts', 'build', 'profiles');

/**
 * @typedef {object} Compiler
 * @property {string} version what `rustc -vV` says but for the host: release, commit, LLVM
 * @property {string} host the platform that it compiles for unless told otherwise, as a triple
 */

/**
 * The Rust compiler on this machine, or undefined when there is none.
 * @returns {Compiler | undefined}
 */
export function rustCompiler() {
  try {
    const text = execFileSync('rustc', ['-vV'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines = text.trim().split('\n');
    const host = lines.find((line) => line.startsWith('host: '))?.slice('host: '.length) ?? '';
    return { version: lines.filter((line) => !line.startsWith('host: ')).join('\n'), host };
  } catch {
    return undefined;
  }
}

/**
 * The environment for a build of the addon, and of whatever shares its crates: `RUSTFLAGS` as set, and the recorded
 * profile if there is one of this compiler for the platform. Nothing where there is neither.
 * @param {Compiler} compiler
 * @param {{target?: string, folder?: string, flags?: string}} [options] `target`: a triple, the compiler's host unless
 * given; `folder`: of the profiles; `flags`: instead of those that are set
 * @returns {{RUSTFLAGS?: string}}
 */
export function buildEnvironment(compiler, options = {}) {
  const {
    target = compiler.host,
    folder = PROFILES,
    flags = process.env.RUSTFLAGS ?? '',
  } = options;
  const packed = join(folder, `${target}.profdata.gz`);
  const about = join(folder, `${target}.json`);
  const without = flags === '' ? {} : { RUSTFLAGS: flags };
  // Flags are divided at spaces, so a path with one cannot be among them.
  if (/\s/.test(scratch) || !existsSync(packed) || !existsSync(about)) return without;
  if (JSON.parse(readFileSync(about, 'utf8')).compiler !== compiler.version) return without;
  return { RUSTFLAGS: `${flags} -Cprofile-use=${unpacked(packed)}`.trim() };
}

/**
 * Writes down a profile as that of a compiler for its own platform.
 * @param {Compiler} compiler
 * @param {Buffer} profile indexed, as `llvm-profdata merge` writes it
 * @param {string} [folder]
 */
export function keepProfile(compiler, profile, folder = PROFILES) {
  mkdirSync(folder, { recursive: true });
  const about = `${JSON.stringify({ compiler: compiler.version }, null, 2)}\n`;
  writeFileSync(join(folder, `${compiler.host}.json`), about);
  writeFileSync(join(folder, `${compiler.host}.profdata.gz`), gzipSync(profile, { level: 9 }));
}

/**
 * Cargo compiles again when flags change, but does not look into files that they name: so the name says the content.
 * @param {string} packed
 */
function unpacked(packed) {
  const bytes = readFileSync(packed);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const path = join(scratch, `profile-${hash}.profdata`);
  if (existsSync(path)) return path;
  mkdirSync(scratch, { recursive: true });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, gunzipSync(bytes));
  renameSync(partial, path);
  return path;
}
