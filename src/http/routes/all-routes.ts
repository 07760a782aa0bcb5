import type { Keys } from '../authenticate.js';
import type { AnyRoute } from '../route.js';
import type { SearchQueue } from '../search-queue.js';
import type { Services } from '../services.js';
import { batchRoutes } from './batches.js';
import { documentReadRoutes } from './documents.js';
import { documentAdditionRoutes, documentDeletionRoutes } from './documents-change.js';
import { experimentalFeatureRoutes } from './experimental-features.js';
import { facetSearchRoutes } from './facet-search.js';
import { healthRoutes } from './health.js';
import { indexRoutes } from './indexes.js';
import { keyRoutes } from './keys.js';
import { networkRoutes } from './network.js';
import { searchRoutes } from './search.js';
import { settingsRoutes } from './settings.js';
import { statsRoutes } from './stats.js';
import { swapIndexesRoutes } from './swap-indexes.js';
import { taskRoutes } from './tasks.js';
import { updateRoutes } from './updates.js';
import { versionRoutes } from './version.js';

/** Every route of the server. */
export function allRoutes(
  services: Services,
  queue: SearchQueue,
  bodyLimit: number,
  keys?: Keys,
): AnyRoute[] {
  return [
    ...healthRoutes(),
    ...versionRoutes(),
    ...indexRoutes(services),
    ...swapIndexesRoutes(services),
    ...documentReadRoutes(services, queue),
    ...documentAdditionRoutes(services, bodyLimit),
    ...documentDeletionRoutes(services),
    ...searchRoutes(services, queue),
    ...facetSearchRoutes(services, queue),
    ...settingsRoutes(services),
    ...taskRoutes(services),
    ...batchRoutes(services),
    ...updateRoutes(services),
    ...statsRoutes(services),
    ...experimentalFeatureRoutes(services),
    ...networkRoutes(services),
    ...keyRoutes(keys),
  ];
}
