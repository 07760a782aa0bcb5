import { ApiError } from '../errors/api-error.js';
import { type Asked, neededRemotes } from '../network/needed-remotes.js';
import type { Network } from '../network/network.js';
import type { Federation, MultiSearchQuery } from './multi-search-request.js';

/** A query of a federation and the server that answers it. */
export interface PlannedQuery {
  readonly query: MultiSearchQuery;
  /** The place that its hits tell. */
  readonly position: number;
  /** Name of the server, if it has one. */
  readonly remote: string | undefined;
  /** Whether that is this server. */
  readonly isLocal: boolean;
}

/**
 * The queries of a federation by server: those that name one go there, those that use the network
 * go to every server that it needs. `undefined` when no query asks for either. Throws when a query
 * names a server that the network does not have.
 */
export function planQueries(
  queries: readonly MultiSearchQuery[],
  network: Network,
  asked: Asked,
): PlannedQuery[] | undefined {
  const isRemote = ({ federationOptions, useNetwork }: MultiSearchQuery) =>
    federationOptions?.remote != null || useNetwork === true;
  if (!queries.some(isRemote)) return undefined;
  const self = network.self ?? undefined;
  return queries.flatMap((query, position) => {
    const remote = query.federationOptions?.remote ?? self;
    const here = { query, position, remote: self, isLocal: true };
    if (query.useNetwork === true) {
      const others = neededRemotes(network, asked);
      return [here, ...others.map((name) => ({ query, position, remote: name, isLocal: false }))];
    }
    if (remote === self) return [here];
    if (remote === undefined || !Object.hasOwn(network.remotes, remote)) {
      throw new ApiError(
        'invalid_multi_search_remote',
        `Invalid \`.federation_options.remote\`: remote \`${remote}\` is not registered`,
      );
    }
    return [{ query, position, remote, isLocal: false }];
  });
}

/** The list that a part needs to give: from the first hit on to the end of the page. */
export function partFederation(federation: Federation, indexUids: ReadonlySet<string>): object {
  const { offset = 0, limit = 20, page, hitsPerPage, facetsByIndex, distinct } = federation;
  const facets = Object.entries(facetsByIndex ?? {}).filter(([uid]) => indexUids.has(uid));
  const bounded = (hits: number) => Math.min(hits, Number.MAX_SAFE_INTEGER);
  const window =
    page == null && hitsPerPage == null
      ? { offset: 0, limit: bounded(offset + limit) }
      : { page: 1, hitsPerPage: bounded((page ?? 1) * (hitsPerPage ?? 20)) };
  return {
    ...window,
    facetsByIndex: Object.fromEntries(facets),
    ...(distinct == null ? {} : { distinct }),
  };
}
