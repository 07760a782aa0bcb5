import { describe, expect, test } from 'vitest';
import { type CommandLine, helpText, readArguments } from '../../src/config/arguments.js';
import { loadConfig } from '../../src/config/load-config.js';
import { checkMasterKey } from '../../src/config/master-key.js';
import { flagOf, OPTION_NAMES, variableOf } from '../../src/config/options.js';

interface Given {
  readonly words?: string[];
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
}

function load({ words = [], env = {}, files = {} }: Given) {
  const line = readArguments(words) as Extract<CommandLine, { kind: 'run' }>;
  return loadConfig({ given: line.given, env, readFile: (path) => files[path] });
}

const toml = (text: string) => ({ './config.toml': text });

test('without any option the defaults hold', () => {
  expect(load({})).toMatchObject({
    dbPath: './data.sv',
    httpAddr: { host: '127.0.0.1', port: 7700 },
    masterKey: undefined,
    env: 'development',
    httpPayloadSizeLimit: 100_000_000,
    logLevel: 'INFO',
    noAnalytics: false,
  });
});

test('the command line goes before the environment, that before the file', () => {
  const files = toml('db_path = "f"\nenv = "production"\nlog_level = "warn"\n');
  const env = { SVC_DB_PATH: 'e', SVC_LOG_LEVEL: 'error' };
  expect(load({ words: ['--db-path', 'c'], env, files })).toMatchObject({
    dbPath: 'c',
    logLevel: 'ERROR',
    env: 'production',
  });
});

describe('values', () => {
  test.each([
    [['--http-addr', 'localhost:1234'], { httpAddr: { host: 'localhost', port: 1234 } }],
    [['--http-addr=[::1]:80'], { httpAddr: { host: '::1', port: 80 } }],
    [['--http-payload-size-limit', '10MiB'], { httpPayloadSizeLimit: 10 * 1024 * 1024 }],
    [['--http-payload-size-limit', '1.5 Gb'], { httpPayloadSizeLimit: 1_500_000_000 }],
    [['--max-indexing-threads', '3'], { maxIndexingThreads: 3 }],
    [['--schedule-snapshot', '--no-analytics'], { scheduleSnapshot: 86_400, noAnalytics: true }],
    [['--schedule-snapshot=60'], { scheduleSnapshot: 60 }],
    [['--env', 'Production'], { env: 'production' }],
  ])('%j', (words, expected) => {
    expect(load({ words })).toMatchObject(expected);
  });

  test.each([
    ['true', true],
    ['yes', true],
    ['off', false],
    ['0', false],
    ['N', false],
  ])('a switch in the environment: %s', (text, on) => {
    expect(load({ env: { SVC_NO_ANALYTICS: text } }).noAnalytics).toBe(on);
  });

  test('of a file may be numbers and booleans', () => {
    const files = toml('no_analytics = true\nschedule_snapshot = true\nmax_indexing_threads = 2\n');
    expect(load({ files })).toMatchObject({
      noAnalytics: true,
      scheduleSnapshot: 86_400,
      maxIndexingThreads: 2,
    });
  });
});

describe('refused with a clear message', () => {
  test.each<[string, Given, RegExp]>([
    ['an unknown option', { words: ['--db-pat', 'x'] }, /--db-pat, did you mean --db-path\?/],
    ['a missing value', { words: ['--db-path'] }, /--db-path needs a value/],
    ['a repeated option', { words: ['--env=production', '--env=production'] }, /given twice/],
    ['a bad environment', { env: { SVC_ENV: 'test' } }, /^SVC_ENV: `test` is not one of/],
    ['a bad address', { words: ['--http-addr', '7700'] }, /^--http-addr: `7700` is not an address/],
    ['a bad size', { words: ['--max-indexing-memory', 'lots'] }, /`lots` is not a size/],
    ['an unknown key', { files: toml('db_pth = "x"') }, /`db_pth` is no option/],
    ['a file that names a file', { files: toml('config_file_path = "x"') }, /no option/],
    ['broken TOML', { files: toml('a = ') }, /is no TOML/],
    ['a missing file', { words: ['--config-file-path', 'x.toml'] }, /x\.toml does not exist/],
    ['two imports', { words: ['--import-dump=a', '--import-snapshot=b'] }, /exclude each other/],
    ['a lonely switch', { words: ['--ignore-missing-dump'] }, /needs --import-dump/],
  ])('%s', (_, given, message) => {
    expect(() => load(given)).toThrow(message);
  });
});

describe('the master key', () => {
  const newKey = () => 'NEW';

  test('must be there and long enough in production, with one suggested', () => {
    expect(() => checkMasterKey({ env: 'production', masterKey: undefined }, newKey)).toThrow(
      />> --master-key NEW <</,
    );
    expect(() => checkMasterKey({ env: 'production', masterKey: 'short' }, newKey)).toThrow(
      /at least 16 bytes in a production environment\. The provided key is only 5 bytes\./,
    );
    expect(
      checkMasterKey({ env: 'production', masterKey: 'x'.repeat(16) }, newKey),
    ).toBeUndefined();
  });

  test('is only warned of in development', () => {
    expect(checkMasterKey({ env: 'development', masterKey: 'short' }, newKey)).toContain('5 bytes');
  });
});

test('the help names every option and its variable', () => {
  const help = helpText();
  for (const name of OPTION_NAMES) {
    expect(help).toContain(`--${flagOf(name)}`);
    expect(help).toContain(variableOf(name));
  }
  expect(readArguments(['--env', 'x', '--help'])).toEqual({ kind: 'help' });
});
