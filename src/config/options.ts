import { BUCKET_OPTIONS } from './bucket-options.js';
import { EXPERIMENTAL_OPTIONS } from './experimental-options.js';
import {
  BACKUP_OPTIONS,
  ENGINE_OPTIONS,
  MODEL_OPTIONS,
  SERVER_OPTIONS,
  TLS_OPTIONS,
  WEBHOOK_OPTIONS,
} from './main-options.js';
import type { Option, Options } from './option.js';

export type { Option } from './option.js';

/** Every launch option. */
export const OPTIONS = {
  ...SERVER_OPTIONS,
  ...ENGINE_OPTIONS,
  ...MODEL_OPTIONS,
  ...WEBHOOK_OPTIONS,
  ...BACKUP_OPTIONS,
  ...BUCKET_OPTIONS,
  ...TLS_OPTIONS,
  ...EXPERIMENTAL_OPTIONS,
};

/** The name of a launch option. */
export type OptionName = keyof typeof OPTIONS;

const namesOf = (options: Options): readonly OptionName[] =>
  Object.keys(options) as readonly OptionName[];

/** The options under the headings of `--help`, in its order. */
export const OPTION_GROUPS: readonly (readonly [heading: string, names: readonly OptionName[]])[] =
  [
    ['Server', namesOf(SERVER_OPTIONS)],
    ['Indexing and searching', namesOf(ENGINE_OPTIONS)],
    ['Models', namesOf(MODEL_OPTIONS)],
    ['Task webhook', namesOf(WEBHOOK_OPTIONS)],
    ['Dumps and snapshots', namesOf(BACKUP_OPTIONS)],
    ['Snapshots in a bucket of S3', namesOf(BUCKET_OPTIONS)],
    ['TLS', namesOf(TLS_OPTIONS)],
    ['Experimental', namesOf(EXPERIMENTAL_OPTIONS)],
  ];

/** Every option name, in the order of `--help`. */
export const OPTION_NAMES = namesOf(OPTIONS);

/** How the server was asked to run. */
export type Config = {
  readonly [Name in OptionName]: (typeof OPTIONS)[Name] extends Option<infer T> ? T : never;
};

/** One option, whatever its value is. */
export function optionOf(name: OptionName): Option<unknown> {
  return OPTIONS[name] as Option<unknown>;
}

/** `httpAddr` as `http-addr`, `edition2024For` as `edition-2024-for`, `theS3Key` as `the-s3-key`. */
export function flagOf(name: string): string {
  return name.replace(/^s3|S3|[A-Z]|\d+/g, (part) => {
    return part === 's3' ? part : `-${part.toLowerCase()}`;
  });
}

/** `httpAddr` as `SVC_HTTP_ADDR`. */
export function variableOf(name: OptionName): string {
  return optionOf(name).variable ?? derivedVariable(name);
}

/** `httpAddr` as `http_addr`. */
export function fileKeyOf(name: string): string {
  return flagOf(name).replaceAll('-', '_');
}

/** The variables that set an option, the preferred first. */
export function variablesOf(name: OptionName): readonly string[] {
  const { formerly = [], sharedVariable } = optionOf(name);
  const own = [variableOf(name), ...formerly.map(derivedVariable)];
  return sharedVariable === undefined ? own : [...own, sharedVariable];
}

/** Names of options by the words that stand for them, former words included. */
export function namesBy(word: (name: string) => string): ReadonlyMap<string, OptionName> {
  return new Map(
    OPTION_NAMES.filter((name) => optionOf(name).variableOnly !== true).flatMap((name) =>
      [name, ...(optionOf(name).formerly ?? [])].map((one) => [word(one), name] as const),
    ),
  );
}

const derivedVariable = (name: string): string => `SVC_${fileKeyOf(name).toUpperCase()}`;
