import { requireFeature } from '../../features/feature.js';
import { expositionOf, type Family, gauge } from '../../metrics/exposition.js';
import { instanceFamilies } from '../../metrics/instance-metrics.js';
import { mergeFamilies } from '../../metrics/merge-families.js';
import type { RequestMetrics } from '../../metrics/request-metrics.js';
import { RawAnswer } from '../raw-answer.js';
import { type AnyRoute, route } from '../route.js';
import type { SearchQueue } from '../search-queue.js';
import type { Services } from '../services.js';

const PREFIX = 'serval_';

/** What an event loop that answers requests has measured. */
export interface LoopMeasures {
  readonly requests: readonly Family[];
  /** Searches that run. */
  readonly running: number;
  /** Searches that wait. */
  readonly waiting: number;
}

/** Asks the other event loops what they have measured. */
export type MeasureOthers = () => Promise<readonly LoopMeasures[]>;

/** What this event loop has measured. */
export function loopMeasures(queue: SearchQueue, requests: RequestMetrics): LoopMeasures {
  const { running, waiting } = queue;
  return { requests: requests.families(), running, waiting };
}

/** What the server measures, for Prometheus. */
export const metricsRoutes = (
  services: Services,
  queue: SearchQueue,
  requests: RequestMetrics,
  measureOthers: MeasureOthers = async () => [],
): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/metrics',
    actions: ['metrics.get'],
    handle: async () => {
      requireFeature(services.features.all(), 'metrics', 'Getting metrics');
      const loops = [...(await measureOthers()), loopMeasures(queue, requests)];
      const families = [
        ...mergeFamilies(loops.map((loop) => loop.requests)),
        ...services.usage.families(),
        ...(await instanceFamilies(services)),
        ...queueFamilies(queue.size, loops),
      ];
      const text = expositionOf(families, PREFIX);
      return new RawAnswer(Buffer.from(text), 'text/plain; version=0.0.4');
    },
  }),
];

function queueFamilies(size: number, loops: readonly LoopMeasures[]): Family[] {
  const running = loops.reduce((sum, loop) => sum + loop.running, 0);
  const waiting = loops.reduce((sum, loop) => sum + loop.waiting, 0);
  return [
    gauge('search_queue_size', 'Searches that may wait', size),
    gauge('searches_running', 'Searches that run', running),
    gauge('searches_waiting_to_be_processed', 'Searches that wait', waiting),
  ];
}
