import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { RequestObserver } from './observe-requests.js';
import { snakeCase } from './snake-case.js';

const MS_PER_SECOND = 1000;

/** Counts and times the answers of all routes while `isOn` says so. */
export function measureRequests(metrics: RequestMetrics, isOn: () => boolean): RequestObserver {
  const shownPaths = new Map<string, string>();
  return {
    isOn,
    answered: (request, reply, tookMs) => {
      const { url } = request.routeOptions;
      if (url === undefined) return;
      let path = shownPaths.get(url);
      if (path === undefined) {
        path = url.replace(/:(\w+)/g, (_, name: string) => `{${snakeCase(name)}}`);
        shownPaths.set(url, path);
      }
      metrics.observe(request.method, path, reply.statusCode, tookMs / MS_PER_SECOND);
    },
  };
}
