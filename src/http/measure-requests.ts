import type { FastifyInstance } from 'fastify';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import { snakeCase } from './snake-case.js';

const MS_PER_SECOND = 1000;

/** Counts and times the answers of all routes while `isOn` says so. */
export function measureRequests(
  app: FastifyInstance,
  metrics: RequestMetrics,
  isOn: () => boolean,
): void {
  const shownPaths = new Map<string, string>();
  app.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions;
    if (url !== undefined && isOn()) {
      let path = shownPaths.get(url);
      if (path === undefined) {
        path = url.replace(/:(\w+)/g, (_, name: string) => `{${snakeCase(name)}}`);
        shownPaths.set(url, path);
      }
      const seconds = reply.elapsedTime / MS_PER_SECOND;
      metrics.observe(request.method, path, reply.statusCode, seconds);
    }
    done();
  });
}
