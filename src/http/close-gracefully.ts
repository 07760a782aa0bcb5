import type { FastifyInstance } from 'fastify';
import { Connections } from './connections.js';
import { endConnection, sendError } from './error-handler.js';

/** Once the server closes, requests that are not answered after so long are broken off. */
const GRACE_MS = 20_000;
const IDLE_CHECK_MS = 50;
/** What was sent before the server began to close has arrived by then. */
const UNUSED_MS = 1000;

/**
 * When the server closes, requests under way end, new ones on connections that stay open are
 * refused, and nothing keeps it open longer than a while: endless answers are ended by
 * `endStreams`, silent clients are broken off, soonest those that never asked for anything. A server
 * that is given its connections, and does not listen, would not wait for them by itself.
 */
export function closeGracefully(
  app: FastifyInstance,
  endStreams: readonly (() => void)[],
  { isGivenConnections = false } = {},
): void {
  const connections = new Connections();
  connections.track(app.server);
  let closing = false;
  app.addHook('onRequest', (_request, reply, done) => {
    if (!closing) {
      done();
      return;
    }
    endConnection(reply);
    sendError(reply, 'internal', 'The server is shutting down.', 503);
  });
  app.addHook('preClose', (done) => {
    closing = true;
    for (const end of endStreams) end();
    connections.endSessions();
    // Connections become idle once their last request is answered.
    setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS).unref();
    setTimeout(() => connections.destroyUnused(), UNUSED_MS).unref();
    setTimeout(() => connections.destroyAll(), GRACE_MS).unref();
    if (isGivenConnections) connections.ended().then(() => done(), done);
    else done();
  });
}
