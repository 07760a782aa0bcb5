import type { Logs } from '../logs/logs.js';
import type { RequestObserver } from './observe-requests.js';

/**
 * Logs each answer with the pattern of its route. Never the address itself, a header or a body:
 * they may hold keys.
 */
export function logRequests(logs: Logs): RequestObserver {
  return {
    isOn: () => logs.logger.isLevelEnabled('debug'),
    answered: (request, reply, tookMs) => {
      logs.log('debug', 'http', 'answered', {
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        durationMs: Math.round(tookMs * 1000) / 1000,
      });
    },
  };
}
