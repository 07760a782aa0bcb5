import type { FastifyInstance } from 'fastify';

/** For the line and headers of a request: a client that sends them drop by drop is cut off. */
const HEADERS_MS = 15_000;
/** For a whole request, its body included: large imports over slow lines must fit. */
const REQUEST_MS = 30 * 60_000;
/** How long a connection without a request stays open; longer than the proxies before us wait. */
const KEEP_ALIVE_MS = 75_000;

/** Options of the framework that bound how long clients may hold a connection. */
export const TIME_LIMITS = { requestTimeout: REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS } as const;

/** Bounds what the framework has no option for. */
export function limitTimes(app: FastifyInstance): void {
  const server = app.server as { headersTimeout?: number; requestTimeout?: number };
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
}
