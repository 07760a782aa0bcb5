import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { pino } from 'pino';
import { type CommandLine, readArguments } from './config/arguments.js';
import { ConfigError } from './config/config-error.js';
import { helpText } from './config/help-text.js';
import { loadConfig } from './config/load-config.js';
import { checkMasterKey } from './config/master-key.js';
import type { Config } from './config/options.js';
import { PRODUCT_NAME, PRODUCT_VERSION } from './config/product.js';
import { createServer } from './http/create-server.js';
import { servicesOf } from './http/serval-services.js';
import { Serval, type ServalOptions } from './serval.js';

/** Bytes of a generated master key. */
const KEY_BYTES = 32;
const INTERRUPTED = 130;
/** Largest batch by default, whatever the memory. */
const MAX_BATCH_BYTES = 10 * 2 ** 30;

await main();

async function main(): Promise<void> {
  try {
    const line = readArguments(process.argv.slice(2));
    if (line.kind === 'help') process.stdout.write(helpText());
    else if (line.kind === 'version') process.stdout.write(`serval ${PRODUCT_VERSION}\n`);
    else await run(line);
  } catch (error) {
    process.stderr.write(`serval: ${startFailure(error)}\n`);
    process.exitCode = 1;
  }
}

/** What is said of a failed start: reasons of the user are enough, others need the trace. */
function startFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function run({ given }: Extract<CommandLine, { kind: 'run' }>): Promise<void> {
  const config = loadConfig({
    given,
    env: process.env,
    readFile: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
  });
  const warning = checkMasterKey(config, () => randomBytes(KEY_BYTES).toString('base64url'));
  const serval = await Serval.open(config.dbPath, instanceOptions(config));
  try {
    const app = await createServer(servicesOf(serval), {
      masterKey: config.masterKey,
      payloadSizeLimit: config.httpPayloadSizeLimit,
      apiShape: config.apiShape,
      searchQueue: {
        running: availableParallelism() * config.experimentalNbSearchesPerCore,
        waiting: config.experimentalSearchQueueSize,
      },
      logger: pino({ level: logLevel(config) }, pino.destination(2)),
    });
    closeOnSignals(app, serval);
    await app.listen({ host: listenHost(config), port: config.httpAddr.port });
  } catch (error) {
    await serval.close();
    throw error;
  }
  process.stdout.write(banner(config, warning));
}

function instanceOptions(config: Config): ServalOptions {
  const { maxIndexingMemory, experimentalMaxNumberOfBatchedTasks: maxBatchedTasks } = config;
  return {
    maxIndexingMemory,
    maxBatchBytes:
      config.experimentalLimitBatchedTasksTotalSize ??
      Math.min(Math.floor(maxIndexingMemory / 2), MAX_BATCH_BYTES),
    ...(maxBatchedTasks === undefined ? {} : { maxBatchedTasks }),
  };
}

function logLevel({ logLevel: level }: Config): string {
  return level === 'OFF' ? 'silent' : level.toLowerCase();
}

/** `localhost` may name an address of the newer kind only; clients expect the older one too. */
function listenHost({ httpAddr }: Config): string {
  return httpAddr.host === 'localhost' ? '127.0.0.1' : httpAddr.host;
}

function banner(config: Config, warning: string | undefined): string {
  const { host, port } = config.httpAddr;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = [
    `${PRODUCT_NAME} ${PRODUCT_VERSION}`,
    `address:     ${url}${host === '127.0.0.1' ? ` (http://localhost:${port})` : ''}`,
    `data:        ${config.dbPath}`,
    `environment: ${config.env}`,
    `master key:  ${config.masterKey === undefined ? 'none, every route is open' : 'set'}`,
    ...(warning === undefined ? [] : ['', `For production: ${warning}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The first signal lets requests and the running batch end; the second one ends at once. */
function closeOnSignals(app: { close(): Promise<unknown> }, serval: Serval): void {
  let closing = false;
  const close = async (status: number): Promise<void> => {
    if (closing) process.exit(status);
    closing = true;
    await app.close();
    await serval.close();
    process.exit(status);
  };
  process.on('SIGTERM', () => void close(0));
  process.on('SIGINT', () => void close(INTERRUPTED));
}
