import { checkFilter } from '../native/filter.js';
import type { Serval } from '../serval.js';
import type { Services } from './services.js';

/** What the server needs, from an open instance. */
export function servicesOf(serval: Serval): Services {
  const { tasks, indexes, payloads, features, keys, network, rules, usage, embedders } = serval;
  return {
    tasks,
    indexes,
    payloads,
    features,
    filters: { problem: checkFilter },
    keys,
    network,
    rules,
    usage,
    queryEmbedder: embedders,
  };
}
