import { availableParallelism } from 'node:os';
import type { Server as TlsServer } from 'node:tls';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { ApiKeys } from '../auth/api-keys.js';
import { Authorizer } from '../auth/authorize.js';
import type { KeyStore } from '../auth/key-store.js';
import { Logs } from '../logs/logs.js';
import { RequestMetrics } from '../metrics/request-metrics.js';
import { allowOrigins } from './allow-origins.js';
import { type ApiShape, recogniseShapes } from './api-shape.js';
import { authenticate, type Keys } from './authenticate.js';
import { refuseBrokenRequest } from './broken-requests.js';
import { closeGracefully } from './close-gracefully.js';
import { compressAnswers } from './compress.js';
import { EarlierKeys } from './earlier-keys.js';
import { handleErrors, sendError } from './error-handler.js';
import { logRequests } from './log-requests.js';
import { measureRequests } from './measure-requests.js';
import { observeRequests } from './observe-requests.js';
import { openApiDocument } from './openapi/document.js';
import { readPageFiles } from './page-files.js';
import { type AnyRoute, addRoutes, route } from './route.js';
import { RouteTable } from './route-table.js';
import { allRoutes } from './routes/all-routes.js';
import { pageRoutes } from './routes/root.js';
import { SearchQueue, type SearchQueueOptions } from './search-queue.js';
import type { Services } from './services.js';
import { endStalledAnswers } from './stalled-answers.js';
import { STALLED_ANSWER_MS, TIME_LIMITS } from './time-limits.js';
import type { Tls } from './tls.js';

/** How the server behaves towards its clients. */
export interface ServerOptions {
  /** Without it all routes are open. */
  readonly masterKey?: string | undefined;
  /** The largest body taken, in bytes after decompression. */
  readonly payloadSizeLimit: number;
  /** The generation of the interface for requests that name none. */
  readonly apiShape?: ApiShape;
  readonly logs?: Logs;
  /** Encrypts connections. */
  readonly tls?: Tls;
  /** Folder of the built web pages; without it browsers are shown none. */
  readonly pageFolder?: string | undefined;
  readonly searchQueue?: SearchQueueOptions;
  /** How long a client may take nothing of a large answer. */
  readonly stalledAnswerMs?: number;
}

/** Longest part of a path: document ids have up to 511 bytes, percent-encoded threefold. */
const MAX_PATH_PART = 4096;
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
  const logs = options.logs ?? Logs.silent();
  const app = fastify({
    requestTimeout: TIME_LIMITS.requestTimeout,
    keepAliveTimeout: TIME_LIMITS.keepAliveTimeout,
    // Refused by a hook of ours instead, with an error body like all others.
    return503OnClosing: false,
    ...(options.tls === undefined
      ? { http: TIME_LIMITS }
      : { http2: true as false, https: { ...TIME_LIMITS, ...options.tls.options } }),
    // Queries are decoded with their schema, by the route.
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_PATH_PART,
      querystringParser: () => ({}),
    },
    clientErrorHandler: refuseBrokenRequest,
    // Paths that cannot be decoded are refused before there is a route.
    frameworkErrors: (error, _request, reply) => {
      sendError(reply as unknown as FastifyReply, 'bad_request', error.message);
    },
  });
  options.tls?.prepare(app.server as unknown as TlsServer);
  closeGracefully(app, [() => logs.endStream(), () => services.changes.end()]);
  const requests = new RequestMetrics();
  observeRequests(app, [
    measureRequests(requests, () => services.features.isOn('metrics')),
    logRequests(logs),
  ]);
  allowOrigins(app);
  // Bodies are read by the routes: some as JSON, some as streams of documents.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  handleErrors(app, logs);
  compressAnswers(app);
  endStalledAnswers(app, options.stalledAnswerMs ?? STALLED_ANSWER_MS);
  recogniseShapes(app, options.apiShape ?? 'current');
  const keys = keysOf(options.masterKey, services.keys);
  authenticate(app, keys);
  const queue = new SearchQueue(options.searchQueue ?? defaultQueue());
  refuseUnknownPaths(app);
  const page = options.pageFolder === undefined ? undefined : readPageFiles(options.pageFolder);
  const surroundings = { requests, logs, page };
  const routes = allRoutes(services, queue, options.payloadSizeLimit, keys, surroundings);
  addRoutes(app, [...routes, openApiRoute(routes), ...pageRoutes(page)], options.payloadSizeLimit);
  return app;
}

function keysOf(masterKey: string | undefined, store: KeyStore): Keys | undefined {
  if (masterKey === undefined) return undefined;
  const apiKeys = new ApiKeys(masterKey, store);
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

/** 404 for unknown paths, 405 for known ones by another method; neither has a body. */
function refuseUnknownPaths(app: FastifyInstance): void {
  const table = new RouteTable();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (url !== '*') table.add(url, config?.isWrongMethod === true ? [] : [method].flat());
  });
  const methodsFor = (request: FastifyRequest): string[] | undefined =>
    table.methodsOf(request.url.split('?', 1)[0] ?? '');
  // Before the framework looks at the body, which some methods must have.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) reply.code(methodsFor(request) === undefined ? 404 : 405).send();
    else done();
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send());
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.statusCode === 405) {
      const methods = methodsFor(request)?.filter((method) => method !== request.method);
      reply.header('allow', [...(methods ?? []), 'OPTIONS'].join(', '));
    }
    done();
  });
}
