import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../auth/access.js';
import type { AppliedRules } from '../native/search-rules.js';
import { SearchStop } from '../native/search-stop.js';
import { shardsHere } from '../network/shards-here.js';
import { engineFeatures, type SearchSurroundings } from '../search/engine-request.js';
import type { SearchOffers } from '../search/search-rules.js';
import { hasFlag } from './flag-header.js';
import type { ReadQueue } from './search-queue.js';
import type { ReadServices } from './services.js';

/** What searches of one request have in common. */
export interface SearchContext extends SearchSurroundings {
  readonly services: ReadServices;
  readonly queue: ReadQueue;
  /** Whether the sender wants to know what was asked. */
  readonly metadata: boolean;
  /** Whether the sender puts the answer together with those of other servers. */
  readonly isPart: boolean;
  readonly offers: SearchOffers;
  /** Which documents are pinned, if any. */
  readonly rules: AppliedRules | undefined;
  /** When the request came, by the clock of `performance`. */
  readonly startedAt: number;
  readonly stop: SearchStop;
}

/** What the searches of a request have in common. */
export function searchContext(
  services: ReadServices,
  queue: ReadQueue,
  { access, request }: { readonly access: Access; readonly request: FastifyRequest },
  stop: SearchStop,
): SearchContext {
  const { features, indexes, queryEmbedder, personalizer, rules, network } = services;
  const switched = features.all();
  // Parts tell what hits are compared by, shown or not: only a server of a network gives them.
  const isPart = features.isOn('network') && hasFlag(request, 'proxy-search');
  // Of what a part of an answer may show of other indexes, the server that asks for it knows alone.
  const followsKeys = features.isOn('foreignKeys') && !isPart;
  return {
    services,
    queue,
    access,
    features: switched,
    shards: features.isOn('network') ? shardsHere(network.current) : undefined,
    openFolder: followsKeys ? (uid) => indexes.openFolder(uid) : undefined,
    queryEmbedder,
    metadata: hasFlag(request, 'include-metadata'),
    isPart,
    offers: { features: switched, personalization: personalizer !== undefined },
    rules: features.isOn('dynamicSearchRules') ? rules.applied() : undefined,
    startedAt: performance.now(),
    stop,
  };
}

/** The features as the engine takes them for filters. */
export function filterFeatures({ features, network }: ReadServices): object | undefined {
  const shards = features.isOn('network') ? shardsHere(network.current) : undefined;
  return engineFeatures({ features: features.all(), shards });
}

/** What ends the searches of a request when its client goes before it has the answer. */
export function stopWhenGone({ raw }: FastifyReply): SearchStop {
  const stop = new SearchStop();
  raw.on('close', () => {
    if (raw.writableFinished) stop.release();
    else stop.stop();
  });
  return stop;
}
