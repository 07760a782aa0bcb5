import type { Server as TlsServer } from 'node:tls';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Logs } from '../logs/logs.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import { allowOrigins } from './allow-origins.js';
import { type ApiShape, recogniseShapes } from './api-shape.js';
import { authenticate, type Keys } from './authenticate.js';
import { refuseBrokenRequest } from './broken-requests.js';
import { closeGracefully } from './close-gracefully.js';
import { compressAnswers } from './compress.js';
import { handleErrors, sendError } from './error-handler.js';
import { watchLargeAnswers } from './large-answers.js';
import { logRequests } from './log-requests.js';
import { measureRequests } from './measure-requests.js';
import { observeRequests } from './observe-requests.js';
import { readablePath } from './readable-path.js';
import { RouteTable } from './route-table.js';
import type { Services } from './services.js';
import { STALLED_ANSWER_MS, TIME_LIMITS } from './time-limits.js';
import type { Tls } from './tls.js';

/** How a server behaves towards its clients, whichever routes it has. */
export interface FrameOptions {
  /** The generation of the interface for requests that name none. */
  readonly apiShape?: ApiShape;
  /** Encrypts connections. */
  readonly tls?: Tls | undefined;
  /** How long a client may take nothing of a large answer. */
  readonly stalledAnswerMs?: number;
  /** Whether it does not listen, but is given its connections. */
  readonly isGivenConnections?: boolean;
}

/** What is around the routes of a server. */
export interface Frame {
  readonly logs: Logs;
  readonly requests: RequestMetrics;
  readonly features: Pick<Services['features'], 'isOn'>;
  /** Without them all routes are open. */
  readonly keys: Keys | undefined;
  /** End answers that would not end by themselves, when the server closes. */
  readonly endStreams: readonly (() => void)[];
}

/** Longest part of a path: document ids have up to 511 bytes, percent-encoded threefold. */
const MAX_PATH_PART = 4096;

/** A server without routes: everything that is the same for all of them. */
export function frameServer(
  { logs, requests, features, keys, endStreams }: Frame,
  options: FrameOptions,
): FastifyInstance {
  const { isGivenConnections = false } = options;
  const app = fastify({
    requestTimeout: TIME_LIMITS.requestTimeout,
    keepAliveTimeout: TIME_LIMITS.keepAliveTimeout,
    // Refused by a hook of ours instead, with an error body like all others.
    return503OnClosing: false,
    // It holds for what waits for the last requests, too, which have more time than that.
    pluginTimeout: 0,
    ...(options.tls === undefined
      ? { http: TIME_LIMITS }
      : { http2: true as false, https: { ...TIME_LIMITS, ...options.tls.options } }),
    rewriteUrl: ({ url = '/' }) => readablePath(url),
    // Queries are decoded with their schema, by the route.
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_PATH_PART,
      querystringParser: () => ({}),
    },
    clientErrorHandler: refuseBrokenRequest,
    // What the router itself refuses is refused before there is a route.
    frameworkErrors: (error, _request, reply) => {
      sendError(reply as unknown as FastifyReply, 'bad_request', error.message);
    },
  });
  options.tls?.prepare(app.server as unknown as TlsServer);
  closeGracefully(app, endStreams, { isGivenConnections });
  observeRequests(app, [
    measureRequests(requests, () => features.isOn('metrics')),
    logRequests(logs),
  ]);
  allowOrigins(app);
  // Bodies are read by the routes: some as JSON, some as streams of documents.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  handleErrors(app, logs);
  compressAnswers(app);
  watchLargeAnswers(app, options.stalledAnswerMs ?? STALLED_ANSWER_MS);
  recogniseShapes(app, options.apiShape ?? 'current');
  authenticate(app, keys);
  refuseUnknownPaths(app);
  return app;
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
