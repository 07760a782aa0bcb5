import { ApiError } from '../errors/api-error.js';
import { engineSearch, timesBefore } from '../search/engine-request.js';
import type { Federation, MultiSearchQuery } from '../search/multi-search-request.js';
import { BodyRefusal } from '../search/multi-search-rules.js';
import { requireReader } from './require-index.js';
import type { SearchContext } from './search-context.js';

/** How the list is made, as the engine takes it. */
export interface EngineFederation {
  readonly [field: string]: unknown;
  readonly showPerformanceDetails?: boolean;
}

/** The list as the engine takes it. */
export function givenFields({ personalize: _, ...federation }: Federation): EngineFederation {
  const given = Object.entries(federation).filter(([, value]) => value != null);
  return Object.fromEntries(given);
}

/** A query as the engine takes it. */
export async function engineQuery(
  query: MultiSearchQuery,
  context: SearchContext,
): Promise<object> {
  const { indexUid, federationOptions, ...search } = query;
  const reader = await requireReader(context.services, indexUid);
  return {
    indexUid,
    weight: federationOptions?.weight ?? 1,
    queryPosition: federationOptions?.queryPosition ?? undefined,
    search: await engineSearch(indexUid, search, reader, context),
  };
}

/** Has the engine search indexes of this server. */
export async function searchHere(
  indexUids: readonly string[],
  request: { readonly federation: EngineFederation },
  { services, queue, rules, stop }: SearchContext,
): Promise<Buffer> {
  const uids = [...new Set(indexUids)];
  const { federation } = request;
  try {
    return await queue.run((waitedMs) => {
      const timed = { ...federation, ...timesBefore(federation, waitedMs) };
      const json = JSON.stringify({ ...request, federation: timed });
      return services.indexes.federatedSearch(uids, json, rules, stop);
    }, stop);
  } catch (error) {
    throw error instanceof ApiError ? new BodyRefusal(error) : error;
  }
}
