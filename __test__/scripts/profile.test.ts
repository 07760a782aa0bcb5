import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildEnvironment, keepProfile } from '../../scripts/build/profile.mjs';

const COMPILER = {
  version: 'rustc 1.95.0\nLLVM version: 22.1.2',
  host: 'x86_64-unknown-linux-gnu',
};
const FLAGS = '-Cdebuginfo=1';
let folder = '';
const unpacked: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serval-profiles-'));
});
afterEach(() => {
  for (const path of [folder, ...unpacked.splice(0)]) rmSync(path, { recursive: true });
});

/** The file that a build reads its profile from, if any. */
function profileOf(compiler: typeof COMPILER, target?: string): string | undefined {
  const options = { folder, flags: FLAGS, ...(target === undefined ? {} : { target }) };
  const { RUSTFLAGS = '' } = buildEnvironment(compiler, options);
  const path = /^-Cdebuginfo=1 -Cprofile-use=(\S+)$/.exec(RUSTFLAGS)?.[1];
  if (path !== undefined) unpacked.push(path);
  return path;
}

describe('of the recorded profile', () => {
  test('a build with the compiler it was recorded with uses it, beside the flags that are set', () => {
    keepProfile(COMPILER, Buffer.from('counted'), folder);
    expect(readFileSync(profileOf(COMPILER) ?? '', 'utf8')).toBe('counted');
  });

  test('a build with another compiler or for another platform does without, and keeps its flags', () => {
    keepProfile(COMPILER, Buffer.from('counted'), folder);
    const options = { folder, flags: FLAGS };
    const newer = { ...COMPILER, version: 'rustc 1.96.0\nLLVM version: 22.1.2' };
    expect(buildEnvironment(newer, options)).toEqual({ RUSTFLAGS: FLAGS });
    const elsewhere = { ...options, target: 'aarch64-apple-darwin' };
    expect(buildEnvironment(COMPILER, elsewhere)).toEqual({ RUSTFLAGS: FLAGS });
  });

  test('a build without flags and without a profile leaves those of the configuration in force', () => {
    expect(buildEnvironment(COMPILER, { folder, flags: '' })).toEqual({});
  });

  test('one that was recorded anew has another name, which makes cargo compile again', () => {
    keepProfile(COMPILER, Buffer.from('counted'), folder);
    const before = profileOf(COMPILER);
    keepProfile(COMPILER, Buffer.from('counted again'), folder);
    expect(profileOf(COMPILER)).not.toBe(before);
  });
});
