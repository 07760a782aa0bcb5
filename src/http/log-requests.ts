import type { FastifyInstance } from 'fastify';
import type { Logs } from '../logs/logs.js';

/**
 * Logs each answer with the pattern of its route. Never the address itself, a header or a body:
 * they may hold keys.
 */
export function logRequests(app: FastifyInstance, logs: Logs): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (logs.logger.isLevelEnabled('debug')) {
      logs.log('debug', 'http', 'answered', {
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
      });
    }
    done();
  });
}
