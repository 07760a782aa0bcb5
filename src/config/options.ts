import { availableParallelism, totalmem } from 'node:os';
import {
  address,
  byteSize,
  flag,
  integer,
  optionalText,
  type Reader,
  snapshotInterval,
  text,
  threads,
  word,
} from './readers.js';

/** One launch option. Its flag, variable and file key are derived from its name. */
export interface Option<T> {
  readonly read: Reader<T>;
  /** Used when nothing is given; `undefined` where an option has no value by itself. */
  readonly otherwise: T;
  readonly help: string;
  /** Given by its flag alone, this value is read. */
  readonly alone?: string;
  /** Whether its flag never takes a value. */
  readonly isSwitch?: boolean;
}

function option<T>(read: Reader<T>, otherwise: T, help: string, alone?: string): Option<T> {
  return { read, otherwise, help, ...(alone === undefined ? {} : { alone }) };
}

const toggle = (help: string): Option<boolean> => ({
  ...option(flag, false, help, 'true'),
  isSwitch: true,
});
const optional = (help: string): Option<string | undefined> =>
  option(optionalText, undefined, help);

const cores = availableParallelism();

/** Every launch option, in the order of `--help`. */
export const OPTIONS = {
  dbPath: option(text, './data.sv', 'Folder of all data, made if it is missing'),
  httpAddr: option(address, { host: '127.0.0.1', port: 7700 }, 'Address to listen on'),
  masterKey: optional('Key that allows everything; with it every route asks for a key'),
  env: option(word(['development', 'production']), 'development', 'development or production'),
  apiShape: option(
    word(['current', 'earlier']),
    'current',
    'Generation of the interface for requests that name none: current or earlier',
  ),
  taskWebhookUrl: optional('Address that finished tasks are posted to'),
  taskWebhookAuthorizationHeader: optional('Authorization header of those posts'),
  httpPayloadSizeLimit: option(byteSize, 100_000_000, 'Largest body taken, such as 100MB'),
  dumpDir: option(text, 'dumps/', 'Folder of dumps'),
  importDump: optional('Dump to start from, into an empty data folder'),
  ignoreMissingDump: toggle('Start without the dump when it is missing'),
  ignoreDumpIfDbExists: toggle('Start without the dump when there is data'),
  snapshotDir: option(text, 'snapshots/', 'Folder of snapshots'),
  scheduleSnapshot: option(
    snapshotInterval,
    undefined,
    'Seconds between snapshots; a day when given alone',
    'true',
  ),
  importSnapshot: optional('Snapshot to start from, into an empty data folder'),
  ignoreMissingSnapshot: toggle('Start without the snapshot when it is missing'),
  ignoreSnapshotIfDbExists: toggle('Start without the snapshot when there is data'),
  logLevel: option(
    word(['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE']),
    'INFO',
    'OFF, ERROR, WARN, INFO, DEBUG or TRACE',
  ),
  maxIndexingMemory: option(
    byteSize,
    Math.floor((totalmem() * 2) / 3),
    'Memory that indexing may use, such as 2GiB; two thirds of all by default',
  ),
  maxIndexingThreads: option(
    threads(cores),
    Math.max(1, Math.floor(cores / 2)),
    'Threads that indexing may use, or unlimited; half of the cores by default',
  ),
  experimentalMaxNumberOfBatchedTasks: option<number | undefined>(
    integer(0),
    undefined,
    'Tasks of one batch at most; 0 keeps the queue from being worked on',
  ),
  experimentalLimitBatchedTasksTotalSize: option<number | undefined>(
    byteSize,
    undefined,
    'Documents of one batch at most, such as 1GiB; half of the indexing memory by default',
  ),
  experimentalSearchQueueSize: option(integer(1), 1000, 'Searches that may wait for their turn'),
  experimentalNbSearchesPerCore: option(integer(1), 4, 'Searches that run at once, per core'),
  upgradeDb: toggle('Open data of an older version, and upgrade it'),
  noAnalytics: toggle('Accepted and ignored: nothing is ever sent'),
  configFilePath: optional('Configuration file; ./config.toml by default, if there is one'),
} satisfies Record<string, Option<never> | Option<unknown>>;

/** The name of a launch option. */
export type OptionName = keyof typeof OPTIONS;

/** Every option name, in the order of `--help`. */
export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

/** How the server was asked to run. */
export type Config = {
  readonly [Name in OptionName]: (typeof OPTIONS)[Name] extends Option<infer T> ? T : never;
};

/** `httpAddr` as `http-addr`. */
export function flagOf(name: OptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `httpAddr` as `SVC_HTTP_ADDR`. */
export function variableOf(name: OptionName): string {
  return `SVC_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}

/** `httpAddr` as `http_addr`. */
export function fileKeyOf(name: OptionName): string {
  return flagOf(name).replaceAll('-', '_');
}
