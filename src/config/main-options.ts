import { availableParallelism } from 'node:os';
import { type Options, option, optional, toggle } from './option.js';
import {
  address,
  byteSize,
  integerWithin,
  nonEmptyText,
  snapshotInterval,
  threads,
  webUrl,
  word,
} from './readers.js';
import { usableMemory } from './usable-memory.js';

const cores = availableParallelism();
/** More threads than any machine has use for. */
const MOST_WORKERS = 64;

/** Where the server listens, who may call it, and where its data is. */
export const SERVER_OPTIONS = {
  dbPath: option(nonEmptyText, './data.sv', 'Folder of all data, made if it is missing'),
  httpAddr: option(address, { host: '127.0.0.1', port: 7700 }, 'Address to listen on', {
    shownDefault: 'localhost:7700',
  }),
  masterKey: optional('Key that allows everything; with it every route asks for a key', {
    isSecret: true,
  }),
  env: option(word(['development', 'production']), 'development', 'development or production'),
  page: option(
    word(['auto', 'on', 'off']),
    'auto',
    'Web pages at / and /docs: on, off, or auto: on where --env is development',
    { alone: 'on' },
  ),
  apiShape: option(
    word(['current', 'earlier']),
    'current',
    'Generation of the interface for requests that name none: current or earlier',
  ),
  httpWorkers: option(
    integerWithin(1, MOST_WORKERS),
    1,
    'Threads that answer HTTP requests; more than one helps with many cores only',
  ),
  httpPayloadSizeLimit: option(
    byteSize,
    100_000_000,
    'Largest body taken, after decompression, such as 100MB',
    { shownDefault: '100 MB' },
  ),
  logLevel: option(
    word(['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE']),
    'INFO',
    'OFF, ERROR, WARN, INFO, DEBUG or TRACE',
  ),
  configFilePath: optional('Configuration file in TOML', {
    shownDefault: './config.toml, if there is one',
  }),
  noAnalytics: toggle('Accepted and ignored: nothing is ever sent'),
} satisfies Options;

/** What indexing and searching may use. */
export const ENGINE_OPTIONS = {
  maxIndexingMemory: option(
    byteSize,
    Math.floor((usableMemory() * 2) / 3),
    'Memory that indexing may use, such as 2GiB',
    { shownDefault: 'two thirds of what the server may use' },
  ),
  maxIndexingThreads: option(
    threads(cores),
    Math.max(1, Math.floor(cores / 2)),
    'Threads that indexing may use, or unlimited',
    { shownDefault: 'half of the cores' },
  ),
  maxSearchMemory: option<number | undefined>(
    byteSize,
    undefined,
    'Memory in which searches remember words and answers',
    { shownDefault: 'a sixteenth of what the server may use' },
  ),
} satisfies Options;

/** Models that embed in the process of the server, and the services that embedders ask. */
export const MODEL_OPTIONS = {
  modelsDir: optional('Folder of models that run in the server', {
    shownDefault: 'models/ in the folder of all data',
  }),
  modelsHubUrl: option(
    webUrl,
    undefined,
    'Address that models are downloaded from when they are in no folder',
    { shownDefault: 'https://huggingface.co' },
  ),
  openaiApiKey: optional('Key of OpenAI for embedders without one; else OPENAI_API_KEY is read', {
    variableOnly: true,
    sharedVariable: 'OPENAI_API_KEY',
    isSecret: true,
  }),
  ollamaUrl: option(webUrl, undefined, 'Address of ollama for embedders without one', {
    variableOnly: true,
    shownDefault: 'http://localhost:11434/api/embeddings',
  }),
} satisfies Options;

/** Who is told of finished tasks. */
export const WEBHOOK_OPTIONS = {
  taskWebhookUrl: option(webUrl, undefined, 'Address that finished tasks are posted to'),
  taskWebhookAuthorizationHeader: optional('Authorization header of those posts', {
    isSecret: true,
  }),
} satisfies Options;

/** Copies of everything, and starting from one. */
export const BACKUP_OPTIONS = {
  dumpDir: option(nonEmptyText, 'dumps/', 'Folder of dumps'),
  importDump: optional('Dump to start from, into an empty data folder'),
  ignoreMissingDump: toggle('Start without the dump when it is missing'),
  ignoreDumpIfDbExists: toggle('Start without the dump when there is data'),
  snapshotDir: option(nonEmptyText, 'snapshots/', 'Folder of snapshots'),
  scheduleSnapshot: option(
    snapshotInterval,
    undefined,
    'Seconds between snapshots; a day when given alone',
    { alone: 'true', shownDefault: 'off' },
  ),
  importSnapshot: optional('Snapshot to start from, into an empty data folder'),
  ignoreMissingSnapshot: toggle('Start without the snapshot when it is missing'),
  ignoreSnapshotIfDbExists: toggle('Start without the snapshot when there is data'),
  upgradeDb: toggle('Open data of an older version, and upgrade it', {
    formerly: ['experimentalDumplessUpgrade'],
  }),
} satisfies Options;

/** Encrypted connections. */
export const TLS_OPTIONS = {
  sslCertPath: optional('Certificate chain in PEM; with a key, connections are encrypted'),
  sslKeyPath: optional('Private key in PEM'),
  sslAuthPath: optional('Authorities in PEM whose client certificates are taken'),
  sslRequireAuth: toggle('Refuse clients without a certificate'),
  sslOcspPath: optional('OCSP answer in DER, given along with the certificate'),
  sslResumption: toggle('Let clients resume sessions that the server remembers'),
  sslTickets: toggle('Let clients resume sessions by tickets'),
} satisfies Options;
