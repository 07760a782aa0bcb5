import { parse } from 'smol-toml';
import { closestWord } from '../validation/did-you-mean.js';
import { ConfigError } from './config-error.js';
import { type Environment, setVariable } from './environment.js';
import type { Option } from './option.js';
import {
  type Config,
  fileKeyOf,
  flagOf,
  namesBy,
  OPTION_NAMES,
  type OptionName,
  optionOf,
  variableOf,
  variablesOf,
} from './options.js';

/** Where values come from, apart from the defaults. */
export interface Sources {
  readonly given: ReadonlyMap<OptionName, string>;
  readonly env: Environment;
  /** The text of a file, `undefined` when there is none. */
  readonly readFile: (path: string) => string | undefined;
}

const DEFAULT_FILE = './config.toml';

/** The configuration: command line before environment before file before default. */
export function loadConfig({ given, env, readFile }: Sources): Config {
  const file = 'configFilePath';
  const configFile = given.get(file) ?? setVariable(env, variableOf(file));
  const inFile = readConfigFile(configFile, readFile);
  const values = OPTION_NAMES.map((name) => {
    const option = optionOf(name);
    const sources: [place: string, text: string | undefined][] = [
      [`--${flagOf(name)}`, given.get(name)],
      ...variablesOf(name).map((variable): [string, string | undefined] => [
        variable,
        option.mayBeEmpty === true ? env[variable] : setVariable(env, variable),
      ]),
      [`\`${fileKeyOf(name)}\` of the configuration file`, inFile.get(name)],
    ];
    const [place, text] = sources.find(([, value]) => value !== undefined) ?? [];
    return [name, text === undefined ? option.otherwise : read(option, text, place ?? '')];
  });
  const config = Object.fromEntries(values) as Config;
  refuseContradictions(config);
  return config;
}

function read(option: Option<unknown>, text: string, place: string): unknown {
  try {
    return option.read(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${place}: ${error.message}`);
  }
}

function readConfigFile(
  path: string | undefined,
  readFile: Sources['readFile'],
): ReadonlyMap<OptionName, string> {
  const text = readable(path ?? DEFAULT_FILE, readFile);
  if (text === undefined) {
    if (path === undefined) return new Map();
    throw new ConfigError(`the configuration file ${path} does not exist`);
  }
  return new Map(Object.entries(parseToml(text, path ?? DEFAULT_FILE)).map(fileEntry));
}

function readable(path: string, readFile: Sources['readFile']): string | undefined {
  try {
    return readFile(path);
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError(`the configuration file ${path} cannot be read: ${message}`);
  }
}

function parseToml(text: string, path: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    throw new ConfigError(`the configuration file ${path} is no TOML: ${(error as Error).message}`);
  }
}

const NAME_BY_KEY = namesBy(fileKeyOf);

function fileEntry([key, value]: [string, unknown]): [OptionName, string] {
  const name = NAME_BY_KEY.get(key);
  if (name === undefined || name === 'configFilePath') {
    const close = name === undefined ? closestWord(key, [...NAME_BY_KEY.keys()]) : undefined;
    const hint = close === undefined ? '' : `, did you mean \`${close}\`?`;
    throw new ConfigError(`\`${key}\` is no option of the configuration file${hint}`);
  }
  if (typeof value === 'object') {
    throw new ConfigError(
      `\`${key}\` of the configuration file is neither text, number nor boolean`,
    );
  }
  // `schedule_snapshot = true` is the flag without a value.
  const { alone } = optionOf(name);
  return [name, value === true && alone !== undefined ? alone : String(value)];
}

const NEEDS: readonly [OptionName, OptionName][] = [
  ['ignoreMissingDump', 'importDump'],
  ['ignoreDumpIfDbExists', 'importDump'],
  ['ignoreMissingSnapshot', 'importSnapshot'],
  ['ignoreSnapshotIfDbExists', 'importSnapshot'],
  ['sslAuthPath', 'sslCertPath'],
  ['sslRequireAuth', 'sslAuthPath'],
  ['sslOcspPath', 'sslCertPath'],
  ['sslResumption', 'sslCertPath'],
  ['sslTickets', 'sslCertPath'],
];

/** Pairs of which both or none must be given. */
const TOGETHER: readonly [OptionName, OptionName][] = [['sslCertPath', 'sslKeyPath']];

/** What a bucket cannot be used without. */
const BUCKET: readonly OptionName[] = [
  's3BucketUrl',
  's3BucketRegion',
  's3BucketName',
  's3SnapshotPrefix',
];
/** Who may use it: keys, or a role. */
const KEYS: readonly OptionName[] = ['s3AccessKey', 's3SecretKey'];
const ROLE: readonly OptionName[] = ['experimentalS3RoleArn', 'experimentalS3WebIdentityTokenFile'];

/** A bucket is given as a whole. */
function refuseHalfBucket(config: Config): void {
  const isGiven = (name: OptionName) => config[name] !== undefined;
  const given = [...BUCKET, ...KEYS, ...ROLE].find(isGiven);
  if (given === undefined) return;
  const hasRole = ROLE.some(isGiven);
  if (hasRole && KEYS.some(isGiven)) {
    throw new ConfigError('--s3-access-key and --experimental-s3-role-arn exclude each other');
  }
  const missing = [...BUCKET, ...(hasRole ? ROLE : KEYS)].find((name) => !isGiven(name));
  if (missing !== undefined) {
    throw new ConfigError(`--${flagOf(given)} needs --${flagOf(missing)}`);
  }
}

function refuseContradictions(config: Config): void {
  refuseHalfBucket(config);
  for (const [one, other] of TOGETHER) {
    if ((config[one] === undefined) !== (config[other] === undefined)) {
      throw new ConfigError(`--${flagOf(one)} and --${flagOf(other)} need each other`);
    }
  }
  for (const [name, needed] of NEEDS) {
    const isGiven = config[name] !== undefined && config[name] !== false;
    if (isGiven && config[needed] === undefined) {
      throw new ConfigError(`--${flagOf(name)} needs --${flagOf(needed)}`);
    }
  }
  if (config.importDump !== undefined && config.importSnapshot !== undefined) {
    throw new ConfigError('--import-dump and --import-snapshot exclude each other');
  }
}
