import { Logs } from '../../logs/logs.js';
import { RequestMetrics } from '../../metrics/request-metrics.js';
import type { Keys } from '../authenticate.js';
import type { PageFiles } from '../page-files.js';
import type { AnyRoute } from '../route.js';
import type { SearchQueue } from '../search-queue.js';
import type { ReadServices, Services } from '../services.js';
import { backupRoutes } from './backups.js';
import { batchRoutes } from './batches.js';
import { chatCompletionRoutes } from './chat-completions.js';
import { chatRoutes } from './chats.js';
import { documentReadRoutes } from './documents.js';
import { documentAdditionRoutes, documentDeletionRoutes } from './documents-change.js';
import { documentEditRoutes } from './documents-edit.js';
import { dynamicSearchRuleRoutes } from './dynamic-search-rules.js';
import { experimentalFeatureRoutes } from './experimental-features.js';
import { exportRoutes } from './export.js';
import { facetSearchRoutes } from './facet-search.js';
import { fieldRoutes } from './fields.js';
import { healthRoutes } from './health.js';
import { indexRoutes } from './indexes.js';
import { keyRoutes } from './keys.js';
import { logRoutes } from './logs.js';
import { type MeasureOthers, metricsRoutes } from './metrics.js';
import { multiSearchRoutes } from './multi-search.js';
import { networkRoutes } from './network.js';
import { renderTemplateRoutes } from './render-template.js';
import { rootRoutes } from './root.js';
import { searchRoutes } from './search.js';
import { settingsRoutes } from './settings.js';
import { similarRoutes } from './similar.js';
import { statsRoutes } from './stats.js';
import { swapIndexesRoutes } from './swap-indexes.js';
import { taskRoutes } from './tasks.js';
import { updateRoutes } from './updates.js';
import { versionRoutes } from './version.js';
import { webhookRoutes } from './webhooks.js';

/** What is around the routes: what watches them, and where they run. */
export interface Surroundings {
  readonly requests: RequestMetrics;
  readonly logs: Logs;
  /** Asks the other event loops what they have measured, where there are any. */
  readonly measureOthers?: MeasureOthers | undefined;
  /** What browsers are shown at the root. */
  readonly page?: PageFiles | undefined;
}

const NO_SURROUNDINGS: Surroundings = {
  requests: new RequestMetrics(),
  logs: Logs.silent(),
};

/** The routes that only read from indexes. */
export const readRoutes = (services: ReadServices, queue: SearchQueue): AnyRoute[] => [
  ...documentReadRoutes(services, queue),
  ...searchRoutes(services, queue),
  ...multiSearchRoutes(services, queue),
  ...facetSearchRoutes(services, queue),
  ...similarRoutes(services, queue),
];

/** Every route of the server. */
export function allRoutes(
  services: Services,
  queue: SearchQueue,
  bodyLimit: number,
  keys?: Keys,
  { requests, logs, page, measureOthers }: Surroundings = NO_SURROUNDINGS,
): AnyRoute[] {
  return [
    ...healthRoutes(services),
    ...rootRoutes(page),
    ...versionRoutes(),
    ...indexRoutes(services),
    ...fieldRoutes(services),
    ...swapIndexesRoutes(services),
    ...documentReadRoutes(services, queue),
    ...documentAdditionRoutes(services, bodyLimit),
    ...documentDeletionRoutes(services),
    ...documentEditRoutes(services),
    ...searchRoutes(services, queue),
    ...multiSearchRoutes(services, queue),
    ...facetSearchRoutes(services, queue),
    ...similarRoutes(services, queue),
    ...settingsRoutes(services),
    ...taskRoutes(services, keys),
    ...batchRoutes(services, keys),
    ...updateRoutes(services),
    ...statsRoutes(services),
    ...backupRoutes(services),
    ...exportRoutes(services),
    ...experimentalFeatureRoutes(services),
    ...networkRoutes(services),
    ...metricsRoutes(services, queue, requests, measureOthers),
    ...logRoutes(services, keys, logs),
    ...dynamicSearchRuleRoutes(services),
    ...renderTemplateRoutes(services),
    ...keyRoutes(keys),
    ...webhookRoutes(services),
    ...chatRoutes(services),
    ...chatCompletionRoutes(services, queue, keys, logs),
  ];
}
