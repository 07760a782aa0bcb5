import { requireFeature } from '../../features/feature.js';
import { expositionOf, type Family, gauge } from '../../metrics/exposition.js';
import { instanceFamilies } from '../../metrics/instance-metrics.js';
import type { RequestMetrics } from '../../metrics/request-metrics.js';
import { RawAnswer } from '../raw-answer.js';
import { type AnyRoute, route } from '../route.js';
import type { SearchQueue } from '../search-queue.js';
import type { Services } from '../services.js';

const PREFIX = 'serval_';

/** What the server measures, for Prometheus. */
export const metricsRoutes = (
  services: Services,
  queue: SearchQueue,
  requests: RequestMetrics,
): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/metrics',
    actions: ['metrics.get'],
    handle: async () => {
      requireFeature(services.features.all(), 'metrics', 'Getting metrics');
      const families = [
        ...requests.families(),
        ...services.usage.families(),
        ...(await instanceFamilies(services)),
        ...queueFamilies(queue),
      ];
      const text = expositionOf(families, PREFIX);
      return new RawAnswer(Buffer.from(text), 'text/plain; version=0.0.4');
    },
  }),
];

function queueFamilies({ size, running, waiting }: SearchQueue): Family[] {
  return [
    gauge('search_queue_size', 'Searches that may wait', size),
    gauge('searches_running', 'Searches that run', running),
    gauge('searches_waiting_to_be_processed', 'Searches that wait', waiting),
  ];
}
