import { describe, expect, test } from 'vitest';
import { type CommandLine, readArguments } from '../../src/config/arguments.js';
import { helpText } from '../../src/config/help-text.js';
import { loadConfig } from '../../src/config/load-config.js';
import { checkMasterKey } from '../../src/config/master-key.js';
import {
  fileKeyOf,
  flagOf,
  OPTION_GROUPS,
  OPTION_NAMES,
  optionOf,
  variableOf,
} from '../../src/config/options.js';
import { blocksOf } from '../documents/page-blocks.js';

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

/** A whole bucket. */
const BUCKET = [
  '--s3-bucket-url=https://s3.example.org',
  '--s3-bucket-region=eu-central-1',
  '--s3-bucket-name=backups',
  '--s3-snapshot-prefix=nightly',
  '--s3-access-key=a',
  '--s3-secret-key=s',
];

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

test('an empty variable counts as not given', () => {
  const env = { SVC_MASTER_KEY: '', SVC_DB_PATH: '', SVC_UPGRADE_DB: '', SVC_CONFIG_FILE_PATH: '' };
  expect(load({ env, files: toml('db_path = "f"') })).toMatchObject({
    masterKey: undefined,
    dbPath: 'f',
    upgradeDb: false,
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
    [
      ['--experimental-allowed-ip-networks', '10.0.0.0/8, fd00::/8'],
      { experimentalAllowedIpNetworks: ['10.0.0.0/8', 'fd00::/8'] },
    ],
    [['--experimental-allowed-ip-networks=any'], { experimentalAllowedIpNetworks: ['any'] }],
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

test('a bucket may be given in pieces from everywhere, and with a role instead of keys', () => {
  const files = toml('s3_bucket_url = "https://s3.example.org"\ns3_snapshot_prefix = ""\n');
  const env = { SVC_S3_BUCKET_REGION: 'eu', SVC_EXPERIMENTAL_S3_ROLE_ARN: 'arn:aws:iam::1:role/r' };
  const words = ['--s3-bucket-name=b', '--experimental-s3-web-identity-token-file', '/token'];
  expect(load({ words, env, files })).toMatchObject({
    s3BucketUrl: 'https://s3.example.org',
    s3BucketRegion: 'eu',
    s3BucketName: 'b',
    s3SnapshotPrefix: '',
    experimentalS3RoleArn: 'arn:aws:iam::1:role/r',
    experimentalS3WebIdentityTokenFile: '/token',
    experimentalS3MaxInFlightParts: 10,
    experimentalS3CompressionLevel: 0,
    experimentalS3SignatureDurationSeconds: 28_800,
    experimentalS3MultipartPartSize: 375 * 1024 * 1024,
  });
});

describe('every option', () => {
  /** A text that an option reads, other than its default. */
  const sampleOf = (name: (typeof OPTION_NAMES)[number]): string => {
    const { read, otherwise, isSwitch } = optionOf(name);
    if (isSwitch === true) return 'true';
    const samples = ['words', 'https://example.org/x', '10.0.0.0/8', '12MiB', '7', '127.0.0.1:1'];
    const words = ['production', 'earlier', 'off', 'WARN', 'json', '1'];
    const found = [...words, ...samples].find((text) => {
      try {
        return JSON.stringify(read(text)) !== JSON.stringify(otherwise);
      } catch {
        return false;
      }
    });
    if (found === undefined) throw new Error(`no text for ${name}`);
    return found;
  };
  /** What it needs beside it: anything that allows it. */
  const beside = (name: string): string[] => {
    if (/^(experimentalS3|s3)/.test(name)) {
      const own = `--${flagOf(name)}=`;
      const isRole = /RoleArn|WebIdentity/.test(name);
      const all = isRole
        ? [
            ...BUCKET.slice(0, 4),
            '--experimental-s3-role-arn=r',
            '--experimental-s3-web-identity-token-file=t',
          ]
        : BUCKET;
      return all.filter((word) => !word.startsWith(own));
    }
    if (/Dump$|DumpIf/.test(name) && name.startsWith('ignore')) return ['--import-dump=d'];
    if (name.startsWith('ignore')) return ['--import-snapshot=s'];
    if (name === 'sslCertPath') return ['--ssl-key-path=k'];
    if (name === 'sslKeyPath') return ['--ssl-cert-path=c'];
    if (name.startsWith('ssl')) {
      const pair = ['--ssl-cert-path=c', '--ssl-key-path=k'];
      return name === 'sslAuthPath' ? pair : [...pair, '--ssl-auth-path=a'];
    }
    return [];
  };
  const inFile = (name: string, text: string) => toml(`${fileKeyOf(name)} = "${text}"`);
  const named = OPTION_NAMES.filter((name) => name !== 'configFilePath');

  test.each(named.filter((name) => optionOf(name).variableOnly !== true))(
    '%s is read from its flag, its variable and its line of the file alike',
    (name) => {
      const text = sampleOf(name);
      const words = beside(name);
      const given = optionOf(name).isSwitch === true ? [] : [`--${flagOf(name)}=${text}`];
      const flag = given.length === 0 ? [`--${flagOf(name)}`] : given;
      const expected = optionOf(name).read(text);
      const env = { [variableOf(name)]: text };
      expect(load({ words: [...words, ...flag] })[name]).toEqual(expected);
      expect(load({ words, env })[name]).toEqual(expected);
      expect(load({ words, files: inFile(name, text) })[name]).toEqual(expected);
    },
  );
});

test('keys and addresses of embedding services come from variables alone, that of OpenAI from its own, too', () => {
  expect(load({ env: { OPENAI_API_KEY: 'a', SVC_OLLAMA_URL: 'http://o:1' } })).toMatchObject({
    openaiApiKey: 'a',
    ollamaUrl: 'http://o:1',
  });
  expect(load({ env: { OPENAI_API_KEY: 'a', SVC_OPENAI_API_KEY: 'b' } }).openaiApiKey).toBe('b');
  expect(() => load({ files: toml('openai_api_key = "a"') })).toThrow(/no option/);
});

test.each(['docs/configure.md', 'docs/operate.md'])('the configuration in %s is taken', (page) => {
  const files = blocksOf(page).filter(({ language }) => language === 'toml');
  expect(files.length).toBeGreaterThan(0);
  for (const { code } of files) {
    const { masterKey } = load({ files: toml(code) });
    // A key is the first word of its header.
    expect(masterKey ?? '').not.toMatch(/\s/);
  }
});

describe('refused with a clear message', () => {
  test.each<[string, Given, RegExp]>([
    ['an unknown option', { words: ['--db-pat', 'x'] }, /--db-pat, did you mean --db-path\?/],
    ['a missing value', { words: ['--db-path'] }, /--db-path needs a value/],
    [
      'an option in place of a value',
      { words: ['--master-key', '--no-analytics'] },
      /--master-key needs a value/,
    ],
    ['an empty value', { words: ['--master-key='] }, /--master-key: the value is empty/],
    ['an empty value in the file', { files: toml('master_key = ""') }, /`master_key`.* is empty/],
    ['a repeated option', { words: ['--env=production', '--env=production'] }, /given twice/],
    ['a bad environment', { env: { SVC_ENV: 'test' } }, /^SVC_ENV: `test` is not one of/],
    ['a bad address', { words: ['--http-addr', '7700'] }, /^--http-addr: `7700` is not an address/],
    ['a bad size', { words: ['--max-indexing-memory', 'lots'] }, /`lots` is not a size/],
    ['an unknown key', { files: toml('db_pth = "x"') }, /`db_pth` is no option/],
    ['a file that names a file', { files: toml('config_file_path = "x"') }, /no option.*file$/],
    ['a folder without a name', { words: ['--dump-dir='] }, /--dump-dir: the value is empty/],
    ['broken TOML', { files: toml('a = ') }, /is no TOML/],
    ['a missing file', { words: ['--config-file-path', 'x.toml'] }, /x\.toml does not exist/],
    ['two imports', { words: ['--import-dump=a', '--import-snapshot=b'] }, /exclude each other/],
    ['a lonely switch', { words: ['--ignore-missing-dump'] }, /needs --import-dump/],
    ['a certificate alone', { words: ['--ssl-cert-path=a'] }, /and --ssl-key-path need each other/],
    ['TLS without it', { words: ['--ssl-tickets'] }, /--ssl-tickets needs --ssl-cert-path/],
    ['a close key', { files: toml('db_pth = "x"') }, /did you mean `db_path`\?/],
    ['no webhook', { words: ['--task-webhook-url=ftp://x'] }, /`ftp:\/\/x` is not an address/],
    [
      'no network',
      { words: ['--experimental-allowed-ip-networks=10.0.0.0/8,10.0.0.0/33'] },
      /^--experimental-allowed-ip-networks: `10\.0\.0\.0\/33` is not a network/,
    ],
    ['no form of the log', { words: ['--experimental-logs-mode=xml'] }, /not one of human, json/],
    ['half of a bucket', { words: BUCKET.slice(1) }, /--s3-bucket-region needs --s3-bucket-url/],
    [
      'a bucket without a key',
      { words: BUCKET.filter((word) => !word.includes('secret-key')) },
      /--s3-bucket-url needs --s3-secret-key/,
    ],
    [
      'a bucket without its prefix, though it may be empty',
      { words: BUCKET.filter((word) => !word.includes('prefix')) },
      /needs --s3-snapshot-prefix/,
    ],
    [
      'keys and a role',
      { words: [...BUCKET, '--experimental-s3-role-arn=r'] },
      /--s3-access-key and --experimental-s3-role-arn exclude each other/,
    ],
    [
      'a role without its token',
      { words: [...BUCKET.slice(0, 4), '--experimental-s3-role-arn=r'] },
      /needs --experimental-s3-web-identity-token-file/,
    ],
    [
      'parts that S3 does not take',
      { words: ['--experimental-s3-multipart-part-size=1MiB'] },
      /^--experimental-s3-multipart-part-size: `1MiB` is not a size from 5242880 to/,
    ],
    [
      'a compression that is none',
      { env: { SVC_EXPERIMENTAL_S3_COMPRESSION_LEVEL: '10' } },
      /^SVC_EXPERIMENTAL_S3_COMPRESSION_LEVEL: `10` is not an integer from 0 to 9/,
    ],
    ['no count', { words: ['--experimental-drop-search-after=0'] }, /not an integer from 1 on/],
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

describe('the help', () => {
  const help = helpText();

  test('names every option under a heading, with its flag, its default and its variable', () => {
    for (const name of OPTION_NAMES) {
      expect(help).toContain(variableOf(name));
      if (optionOf(name).variableOnly !== true) expect(help).toContain(`  --${flagOf(name)}`);
    }
    expect(help).toContain('such as 100MB (default: 100 MB)');
    for (const [heading] of OPTION_GROUPS) expect(help).toContain(`\n${heading}\n`);
    expect(readArguments(['--env', 'x', '--help'])).toEqual({ kind: 'help' });
  });

  test('fits a window of 110 columns', () => {
    expect(help.split('\n').filter((line) => line.length > 110)).toEqual([]);
  });
});

/** The launch options of the interface, as documented: their flags and their variables. */
const DOCUMENTED: readonly (readonly [flag: string, variable: string])[] = [
  ['db-path', 'DB_PATH'],
  ['http-addr', 'HTTP_ADDR'],
  ['master-key', 'MASTER_KEY'],
  ['env', 'ENV'],
  ['task-webhook-url', 'TASK_WEBHOOK_URL'],
  ['task-webhook-authorization-header', 'TASK_WEBHOOK_AUTHORIZATION_HEADER'],
  ['http-payload-size-limit', 'HTTP_PAYLOAD_SIZE_LIMIT'],
  ['dump-dir', 'DUMP_DIR'],
  ['import-dump', 'IMPORT_DUMP'],
  ['ignore-missing-dump', 'IGNORE_MISSING_DUMP'],
  ['ignore-dump-if-db-exists', 'IGNORE_DUMP_IF_DB_EXISTS'],
  ['snapshot-dir', 'SNAPSHOT_DIR'],
  ['schedule-snapshot', 'SCHEDULE_SNAPSHOT'],
  ['import-snapshot', 'IMPORT_SNAPSHOT'],
  ['ignore-missing-snapshot', 'IGNORE_MISSING_SNAPSHOT'],
  ['ignore-snapshot-if-db-exists', 'IGNORE_SNAPSHOT_IF_DB_EXISTS'],
  ['log-level', 'LOG_LEVEL'],
  ['max-indexing-memory', 'MAX_INDEXING_MEMORY'],
  ['max-indexing-threads', 'MAX_INDEXING_THREADS'],
  ['upgrade-db', 'UPGRADE_DB'],
  ['config-file-path', 'CONFIG_FILE_PATH'],
  ['no-analytics', 'NO_ANALYTICS'],
  ['ssl-cert-path', 'SSL_CERT_PATH'],
  ['ssl-key-path', 'SSL_KEY_PATH'],
  ['ssl-auth-path', 'SSL_AUTH_PATH'],
  ['ssl-require-auth', 'SSL_REQUIRE_AUTH'],
  ['ssl-ocsp-path', 'SSL_OCSP_PATH'],
  ['ssl-resumption', 'SSL_RESUMPTION'],
  ['ssl-tickets', 'SSL_TICKETS'],
  ['experimental-contains-filter', 'EXPERIMENTAL_CONTAINS_FILTER'],
  ['experimental-enable-metrics', 'EXPERIMENTAL_ENABLE_METRICS'],
  ['experimental-enable-logs-route', 'EXPERIMENTAL_ENABLE_LOGS_ROUTE'],
  ['experimental-legacy-search-default', 'EXPERIMENTAL_LEGACY_SEARCH'],
  ['experimental-search-queue-size', 'EXPERIMENTAL_SEARCH_QUEUE_SIZE'],
  ['experimental-drop-search-after', 'EXPERIMENTAL_DROP_SEARCH_AFTER'],
  ['experimental-nb-searches-per-core', 'EXPERIMENTAL_NB_SEARCHES_PER_CORE'],
  ['experimental-logs-mode', 'EXPERIMENTAL_LOGS_MODE'],
  ['experimental-reduce-indexing-memory-usage', 'EXPERIMENTAL_REDUCE_INDEXING_MEMORY_USAGE'],
  ['experimental-max-number-of-batched-tasks', 'EXPERIMENTAL_MAX_NUMBER_OF_BATCHED_TASKS'],
  ['experimental-limit-batched-tasks-total-size', 'EXPERIMENTAL_LIMIT_BATCHED_TASKS_TOTAL_SIZE'],
  ['experimental-embedding-cache-entries', 'EXPERIMENTAL_EMBEDDING_CACHE_ENTRIES'],
  ['experimental-personalization-api-key', 'EXPERIMENTAL_PERSONALIZATION_API_KEY'],
  ['experimental-allowed-ip-networks', 'EXPERIMENTAL_ALLOWED_IP_NETWORKS'],
  ['experimental-no-edition-2024-for-settings', 'EXPERIMENTAL_NO_EDITION_2024_FOR_SETTINGS'],
  ['s3-bucket-url', 'S3_BUCKET_URL'],
  ['s3-bucket-region', 'S3_BUCKET_REGION'],
  ['s3-bucket-name', 'S3_BUCKET_NAME'],
  ['s3-snapshot-prefix', 'S3_SNAPSHOT_PREFIX'],
  ['s3-access-key', 'S3_ACCESS_KEY'],
  ['s3-secret-key', 'S3_SECRET_KEY'],
  ['experimental-s3-role-arn', 'EXPERIMENTAL_S3_ROLE_ARN'],
  ['experimental-s3-web-identity-token-file', 'EXPERIMENTAL_S3_WEB_IDENTITY_TOKEN_FILE'],
  ['experimental-s3-max-in-flight-parts', 'EXPERIMENTAL_S3_MAX_IN_FLIGHT_PARTS'],
  ['experimental-s3-compression-level', 'EXPERIMENTAL_S3_COMPRESSION_LEVEL'],
  ['experimental-s3-signature-duration-seconds', 'EXPERIMENTAL_S3_SIGNATURE_DURATION_SECONDS'],
  ['experimental-s3-multipart-part-size', 'EXPERIMENTAL_S3_MULTIPART_PART_SIZE'],
];

test('every documented option is there under its flag and its variable', () => {
  const known = OPTION_NAMES.map((name) => `--${flagOf(name)} ${variableOf(name)}`);
  expect(DOCUMENTED.filter(([flag, name]) => !known.includes(`--${flag} SVC_${name}`))).toEqual([]);
});

test('an option that had another name is still taken under it', () => {
  expect(load({ words: ['--experimental-dumpless-upgrade'] }).upgradeDb).toBe(true);
  expect(load({ env: { SVC_EXPERIMENTAL_DUMPLESS_UPGRADE: '1' } }).upgradeDb).toBe(true);
  expect(load({ files: toml('experimental_dumpless_upgrade = true') }).upgradeDb).toBe(true);
});

test('some values are set by their variable alone', () => {
  const env = { SVC_EXPERIMENTAL_DSR_FUEL_WORD_FUEL: '7' };
  expect(load({ env }).experimentalDsrFuelWordFuel).toBe(7);
  expect(() => load({ words: ['--experimental-dsr-fuel-word-fuel', '7'] })).toThrow(
    /unknown option/,
  );
});
