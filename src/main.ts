import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bucketOf } from './backup/bucket/configured-bucket.js';
import { type CommandLine, readArguments } from './config/arguments.js';
import { banner } from './config/banner.js';
import { ConfigError } from './config/config-error.js';
import { helpText } from './config/help-text.js';
import { loadConfig } from './config/load-config.js';
import { checkMasterKey } from './config/master-key.js';
import type { Config } from './config/options.js';
import { PRODUCT_VERSION } from './config/product.js';
import type { EmbedderOptions } from './embedders/embedders.js';
import type { Feature } from './features/feature.js';
import { createServer } from './http/create-server.js';
import { rehearse } from './http/rehearse.js';
import { servicesOf } from './http/serval-services.js';
import { readTls, type TlsConfig } from './http/tls.js';
import { HttpTeam } from './http/workers/http-team.js';
import { type LogLevel, LogTarget } from './logs/log-target.js';
import { logBatches } from './logs/log-tasks.js';
import { Logs } from './logs/logs.js';
import { lossyOutput } from './logs/lossy-output.js';
import { LongJson } from './long-json/long-json.js';
import { createIpPolicy } from './outgoing/ip-policy.js';
import { createOutgoingClient, type OutgoingClient } from './outgoing/outgoing-client.js';
import { endWithOutput } from './printed.js';
import { Serval, type ServalOptions } from './serval.js';
import { folderFailure, listenFailure, startFailure } from './start-failure.js';
import { DeadLetterLog } from './webhooks/dead-letter-log.js';
import { WebhookDelivery } from './webhooks/webhook-delivery.js';
import { WebhookStore } from './webhooks/webhook-store.js';

/** Where the build puts the web page. */
const PAGE_FOLDER = fileURLToPath(new URL('page', import.meta.url));
/** What the build makes of the threads that answer requests beside this one. */
const HTTP_LOOP = fileURLToPath(new URL('http-loop.js', import.meta.url));
/** What the build makes of the thread that reads and writes megabytes of JSON. */
const LONG_JSON = fileURLToPath(new URL('long-json.js', import.meta.url));
/** Bytes of a generated master key. */
const KEY_BYTES = 32;
/** Exit statuses of a process that a signal ended, by the convention of shells. */
const ENDED_BY = { SIGINT: 130, SIGTERM: 143 } as const;
/** Largest batch by default, whatever the memory. */
const MAX_BATCH_BYTES = 10 * 2 ** 30;
/** What is left of the memory for indexing where little of it is to be used. */
const REDUCED_MEMORY = 1 / 4;
const MS_PER_SECOND = 1000;
/** Models may think for minutes before they say a word. */
const PROVIDER_TIMEOUT_MS = 10 * 60 * MS_PER_SECOND;
/** A service that takes gigabytes may think for long before it has put them together. */
const STORAGE_TIMEOUT_MS = 10 * 60 * MS_PER_SECOND;
/** Chats that one provider answers at once. */
const MAX_CHATS = 256;
const MEBIBYTE = 2 ** 20;
/** The reports to webhooks that were given up, in the data folder. */
const DEAD_LETTERS = 'undelivered-reports.ndjson';
/** Indexes that are opened before they are searched: a few, since each takes memory and files. */
const OPENED_AHEAD = 16;
/** The least that a request of an export may hold when the export does not say. */
const MIN_EXPORT_BYTES = 20 * MEBIBYTE;

await main();

async function main(): Promise<void> {
  try {
    const line = readArguments(process.argv.slice(2));
    if (line.kind === 'help') print(helpText());
    else if (line.kind === 'version') print(`serval ${PRODUCT_VERSION}\n`);
    else await run(line);
  } catch (error) {
    lossyOutput(process.stderr)(`serval: ${startFailure(error)}\n`);
    process.exitCode = 1;
  }
}

function print(text: string): void {
  endWithOutput(process.stdout, process.stderr, (status) => process.exit(status));
  process.stdout.write(text);
}

async function run({ given }: Extract<CommandLine, { kind: 'run' }>): Promise<void> {
  const config = loadConfig({
    given,
    env: process.env,
    readFile: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
  });
  const warning = checkMasterKey(config, () => randomBytes(KEY_BYTES).toString('base64url'));
  const logs = logsOf(config);
  const team = teamOf(config);
  const tls = readTls(config, team?.tls);
  const policy = createIpPolicy(config.experimentalAllowedIpNetworks);
  const client = createOutgoingClient(policy);
  const providers = createOutgoingClient(policy, {
    headersTimeoutMs: PROVIDER_TIMEOUT_MS,
    bodyTimeoutMs: PROVIDER_TIMEOUT_MS,
    connectionsPerOrigin: MAX_CHATS,
  });
  // A bucket is named by who starts the server, and often stands in a private network.
  const storage = createOutgoingClient(createIpPolicy(['any']), {
    headersTimeoutMs: STORAGE_TIMEOUT_MS,
    bodyTimeoutMs: STORAGE_TIMEOUT_MS,
    connectionsPerOrigin: config.experimentalS3MaxInFlightParts,
  });
  const snapshotBucket = bucketOf(config, storage.fetch as unknown as typeof fetch);
  const serval = await Serval.open(config.dbPath, {
    ...instanceOptions(config),
    ...(snapshotBucket === undefined ? {} : { snapshotBucket }),
    // Both clients are of one kind, but for the names of their types.
    fetch: client.fetch as unknown as typeof fetch,
  }).catch((error: unknown) => {
    throw folderFailure(error, config.dbPath);
  });
  logBatches(serval.tasks.events, logs);
  // Beside the making of the server, which leaves the engine's threads nothing to do.
  const opened = serval.indexes.openAhead(1);
  const longJson = new LongJson(LONG_JSON);
  const close = async (): Promise<void> => {
    await longJson.close();
    // The batch in hand may still ask embedders, so the client ends last.
    await serval.close();
    await client.close();
    await providers.close();
    await storage.close();
  };
  try {
    const webhooks = await WebhookStore.load(serval.store, launchWebhook(config));
    const delivery = deliveryOf(serval, webhooks, client, logs);
    const send = providers.fetch as unknown as typeof fetch;
    const services = servicesOf(serval, webhooks, send, longJson);
    const app = await createServer(services, {
      masterKey: config.masterKey,
      payloadSizeLimit: config.httpPayloadSizeLimit,
      apiShape: config.apiShape,
      pageFolder: showsPage(config) ? PAGE_FOLDER : undefined,
      searchQueue: searchQueueOf(config),
      logs,
      ...(tls === undefined ? {} : { tls }),
      ...team?.primary,
    });
    app.addHook('onClose', () => delivery.close());
    const { keys, features, indexes } = serval;
    await team?.start(app, { keys, features, indexes, services, logs });
    closeOnSignals(() => Promise.all([app.close(), team?.close()]), close, logs);
    await rehearse(app, { opened, masterKey: config.masterKey });
    const at = { host: listenHost(config), port: config.httpAddr.port };
    const listening = team?.listen(at) ?? app.listen(at);
    const address = await listening.catch((error: unknown) => {
      throw listenFailure(error, config.httpAddr);
    });
    logs.log('info', 'http', `Server listening at ${address}`);
    void serval.indexes.openAhead(OPENED_AHEAD);
    // Asked for port 0, the system has chosen one.
    const [port] = /\d+$/.exec(address) ?? [];
    const httpAddr = { ...config.httpAddr, port: Number(port) };
    lossyOutput(process.stdout)(banner({ ...config, httpAddr }, warning));
  } catch (error) {
    // Threads that wait for connections would keep the process from ending.
    await team?.close();
    await close();
    throw error;
  }
}

/** The threads that answer requests, where there is more than one. */
function teamOf(config: Config): HttpTeam | undefined {
  if (config.httpWorkers === 1) return undefined;
  if (process.platform === 'win32') {
    throw new ConfigError(
      '--http-workers: Windows lets no threads share the connections of a port',
    );
  }
  const { masterKey, apiShape, httpPayloadSizeLimit: payloadSizeLimit } = config;
  const personalization = searchOptions(config).personalization !== undefined;
  return new HttpTeam({
    program: HTTP_LOOP,
    loops: config.httpWorkers,
    loop: {
      masterKey,
      apiShape,
      payloadSizeLimit,
      personalization,
      tls: tlsOf(config),
    },
    searchQueue: searchQueueOf(config),
    // Without one of them some connections would hang, so the server ends as with an only one.
    onDeath: (reason) => {
      process.stderr.write(
        `serval: a thread that answers requests ended: ${startFailure(reason)}\n`,
      );
      process.exit(1);
    },
  });
}

/** What of the configuration goes to other threads: not all of it could. */
function tlsOf(config: Config): TlsConfig {
  const { sslCertPath, sslKeyPath, sslAuthPath, sslRequireAuth } = config;
  const { sslOcspPath, sslResumption, sslTickets } = config;
  return {
    sslCertPath,
    sslKeyPath,
    sslAuthPath,
    sslRequireAuth,
    sslOcspPath,
    sslResumption,
    sslTickets,
  };
}

function searchQueueOf(config: Config) {
  return {
    running: availableParallelism() * config.experimentalNbSearchesPerCore,
    waiting: config.experimentalSearchQueueSize,
    dropAfterMs: config.experimentalDropSearchAfter * MS_PER_SECOND,
  };
}

/** Asked for or not, else where one develops. */
function showsPage({ page, env }: Config): boolean {
  return page === 'auto' ? env === 'development' : page === 'on';
}

function launchWebhook({ taskWebhookUrl: url, taskWebhookAuthorizationHeader: value }: Config) {
  if (url === undefined) return undefined;
  const headers: Record<string, string> = value === undefined ? {} : { Authorization: value };
  return { url: String(url), headers };
}

/** Tells webhooks of finished batches, at addresses that the policy allows. */
function deliveryOf(serval: Serval, webhooks: WebhookStore, client: OutgoingClient, logs: Logs) {
  const path = join(serval.folder.path, DEAD_LETTERS);
  const deadLetters = new DeadLetterLog(path);
  return new WebhookDelivery({
    webhooks,
    tasks: serval.tasks,
    client,
    records: serval.store,
    onGivenUp: ({ uuid: webhook }, letter) => {
      const { batchUid, attempts, error: reason } = letter;
      const failure = { webhook, batchUid, attempts, reason };
      logs.logger.error(failure, 'a webhook was not told of a batch');
      deadLetters.add(letter).catch((err: unknown) => {
        logs.logger.error({ err, path }, 'a report that was given up could not be written down');
      });
    },
  });
}

function instanceOptions(config: Config): ServalOptions {
  const { experimentalMaxNumberOfBatchedTasks: maxBatchedTasks, maxSearchMemory } = config;
  const share = config.experimentalReduceIndexingMemoryUsage ? REDUCED_MEMORY : 1;
  const maxIndexingMemory = Math.floor(config.maxIndexingMemory * share);
  return {
    maxIndexingMemory,
    maxIndexingThreads: config.maxIndexingThreads,
    ...(maxSearchMemory === undefined ? {} : { maxSearchMemory }),
    maxBatchBytes:
      config.experimentalLimitBatchedTasksTotalSize ??
      Math.min(Math.floor(maxIndexingMemory / 2), MAX_BATCH_BYTES),
    features: forcedFeatures(config),
    embedders: embedderOptions(config),
    ...searchOptions(config),
    ...(maxBatchedTasks === undefined ? {} : { maxBatchedTasks }),
    ...backupOptions(config),
    upgrade: config.upgradeDb,
    exportPayloadBytes: Math.max(config.httpPayloadSizeLimit - MEBIBYTE, MIN_EXPORT_BYTES),
  };
}

function forcedFeatures(config: Config): Feature[] {
  const forced: [Feature, boolean][] = [
    ['containsFilter', config.experimentalContainsFilter],
    ['metrics', config.experimentalEnableMetrics],
    ['logsRoute', config.experimentalEnableLogsRoute],
    ['legacySearch', config.experimentalLegacySearchDefault],
  ];
  return forced.flatMap(([feature, isForced]) => (isForced ? [feature] : []));
}

function logsOf({ logLevel, experimentalLogsMode: mode }: Config): Logs {
  const target = LogTarget.of(logLevel.toLowerCase() as LogLevel);
  return new Logs({ target, mode, write: lossyOutput(process.stderr) });
}

function backupOptions(config: Config): ServalOptions {
  const { importDump, importSnapshot, scheduleSnapshot } = config;
  const base = { dumpFolder: config.dumpDir, snapshotFolder: config.snapshotDir };
  const options: ServalOptions =
    scheduleSnapshot === undefined ? base : { ...base, snapshotEverySeconds: scheduleSnapshot };
  if (importDump !== undefined) {
    options.importFrom = {
      kind: 'dump',
      path: importDump,
      ignoreMissing: config.ignoreMissingDump,
      ignoreIfDataExists: config.ignoreDumpIfDbExists,
    };
  } else if (importSnapshot !== undefined) {
    options.importFrom = {
      kind: 'snapshot',
      path: importSnapshot,
      ignoreMissing: config.ignoreMissingSnapshot,
      ignoreIfDataExists: config.ignoreSnapshotIfDbExists,
    };
  }
  return options;
}

/** What searches ask of other servers, and how much of the search rules they look at. */
function searchOptions(config: Config): ServalOptions {
  const apiKey = config.experimentalPersonalizationApiKey?.trim();
  const url = config.experimentalPersonalizationUrl;
  return {
    remoteSearchTimeoutMs: config.experimentalRemoteSearchTimeoutSeconds * MS_PER_SECOND,
    searchRuleBudgets: {
      countedWords: config.experimentalDsrFuelMaxCountedWords,
      activeRules: config.experimentalDsrFuelMaxActiveRules,
      pinActions: config.experimentalDsrFuelMaxPinActions,
      wordFuel: config.experimentalDsrFuelWordFuel,
      filterFuel: config.experimentalDsrFuelFilterFuel,
      filterOrFuel: config.experimentalDsrFuelFilterOrFuel,
      filterAndFuel: config.experimentalDsrFuelFilterAndFuel,
      filterDepthFuel: config.experimentalDsrFuelFilterDepthFuel,
    },
    ...(apiKey ? { personalization: { apiKey, url } } : {}),
  };
}

function embedderOptions(config: Config): EmbedderOptions {
  const { openaiApiKey: openAiApiKey, ollamaUrl } = config;
  return {
    cacheEntries: config.experimentalEmbeddingCacheEntries,
    localModels: {
      threads: config.maxIndexingThreads,
      ...(config.modelsDir === undefined ? {} : { folder: config.modelsDir }),
      ...(config.modelsHubUrl === undefined ? {} : { hubUrl: String(config.modelsHubUrl) }),
    },
    ...(openAiApiKey === undefined ? {} : { openAiApiKey }),
    ...(ollamaUrl === undefined ? {} : { ollamaUrl }),
  };
}

/** `localhost` may name an address of the newer kind only; clients expect the older one too. */
function listenHost({ httpAddr }: Config): string {
  return httpAddr.host === 'localhost' ? '127.0.0.1' : httpAddr.host;
}

/** The first signal lets requests and the running batch end; the second one ends at once. */
function closeOnSignals(
  closeServer: () => Promise<unknown>,
  closeInstance: () => Promise<void>,
  logs: Logs,
): void {
  let closing = false;
  const close = async (signal: keyof typeof ENDED_BY): Promise<void> => {
    if (closing) process.exit(ENDED_BY[signal]);
    closing = true;
    logs.log('info', 'main', 'stopping: requests and the running batch end first', { signal });
    // However the server ends, the running batch is waited for.
    try {
      await closeServer();
    } finally {
      await closeInstance();
    }
    process.exit(0);
  };
  for (const signal of Object.keys(ENDED_BY) as (keyof typeof ENDED_BY)[]) {
    process.on(signal, () => {
      close(signal).catch((error: unknown) => {
        logs.log('error', 'main', 'the stop failed', { err: error });
        process.exit(1);
      });
    });
  }
}
