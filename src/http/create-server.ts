import { availableParallelism } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { ApiKeys } from '../auth/api-keys.js';
import { Authorizer } from '../auth/authorize.js';
import { Logs } from '../logs/logs.js';
import { RequestMetrics } from '../metrics/request-metrics.js';
import type { Keys } from './authenticate.js';
import { EarlierKeys } from './earlier-keys.js';
import { openApiDocument } from './openapi/document.js';
import { readPageFiles } from './page-files.js';
import { type AnyRoute, addRoutes, route } from './route.js';
import { allRoutes } from './routes/all-routes.js';
import type { MeasureOthers } from './routes/metrics.js';
import { pageRoutes } from './routes/root.js';
import { SearchQueue, type SearchQueueOptions } from './search-queue.js';
import { type FrameOptions, frameServer } from './server-frame.js';
import type { Services } from './services.js';

/** How the server behaves towards its clients. */
export interface ServerOptions extends FrameOptions {
  /** Without it all routes are open. */
  readonly masterKey?: string | undefined;
  /** The largest body taken, in bytes after decompression. */
  readonly payloadSizeLimit: number;
  readonly logs?: Logs;
  /** Folder of the built web pages; without it browsers are shown none. */
  readonly pageFolder?: string | undefined;
  readonly searchQueue?: SearchQueueOptions;
  /** Asks the other event loops what they have measured, where there are any. */
  readonly measureOthers?: MeasureOthers | undefined;
}

const SEARCHES_PER_CORE = 4;
const WAITING_SEARCHES = 1000;
const DROP_AFTER_MS = 60_000;

const defaultQueue = (): SearchQueueOptions => ({
  running: availableParallelism() * SEARCHES_PER_CORE,
  waiting: WAITING_SEARCHES,
  dropAfterMs: DROP_AFTER_MS,
});

/** Assembles the HTTP server; it does not listen yet. */
export async function createServer(
  services: Services,
  options: ServerOptions,
): Promise<FastifyInstance> {
  const { logs = Logs.silent(), masterKey, measureOthers } = options;
  const requests = new RequestMetrics();
  const keys =
    masterKey === undefined ? undefined : keysOf(masterKey, new ApiKeys(masterKey, services.keys));
  const endStreams = [() => logs.endStream(), () => services.changes.end()];
  const { features } = services;
  const app = frameServer({ logs, requests, features, keys, endStreams }, options);
  const queue = new SearchQueue(options.searchQueue ?? defaultQueue());
  const page = options.pageFolder === undefined ? undefined : readPageFiles(options.pageFolder);
  const surroundings = { requests, logs, page, measureOthers };
  const routes = allRoutes(services, queue, options.payloadSizeLimit, keys, surroundings);
  addRoutes(app, [...routes, openApiRoute(routes), ...pageRoutes(page)], options.payloadSizeLimit);
  return app;
}

/** What opens the routes of a server that has a master key. */
export function keysOf(masterKey: string, apiKeys: ApiKeys): Keys {
  const ring = new Authorizer(masterKey, apiKeys);
  return { ring, apiKeys, earlier: new EarlierKeys(masterKey) };
}

/** The description of all routes, made when it is first asked for. */
function openApiRoute(routes: readonly AnyRoute[]): AnyRoute {
  let document: Buffer | undefined;
  const self: AnyRoute = route({
    method: 'GET',
    path: '/openapi.json',
    handle: () => {
      document ??= Buffer.from(JSON.stringify(openApiDocument([...routes, self])));
      return document;
    },
  });
  return self;
}
