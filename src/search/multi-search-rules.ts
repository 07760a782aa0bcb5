import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/codes.js';
import { featureNotEnabled } from '../features/feature.js';
import type { Federation, MultiSearchQuery } from './multi-search-request.js';

/** A refusal of what the body of a request names. */
export class BodyRefusal extends ApiError {
  constructor({ code, message }: Pick<ApiError, 'code' | 'message'>) {
    super(code, message);
  }

  /** An index that does not exist makes the request wrong, not its address. */
  override get status(): number {
    return this.code === 'index_not_found' ? 400 : super.status;
  }
}

/** A refusal because of one of several searches: it names the search. */
export class QueryRefusal extends BodyRefusal {
  constructor(at: number, { code, message }: ApiError) {
    super({ code, message: `Inside \`.queries[${at}]\`: ${message}` });
  }
}

/** Runs something for one of several searches; what it refuses names the search. */
export async function insideQuery<T>(at: number, run: () => Promise<T> | T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof ApiError ? new QueryRefusal(at, error) : error;
  }
}

/** Why a query cannot be answered by itself. */
export function separateProblem(query: MultiSearchQuery): ApiError | undefined {
  if (query.federationOptions == null) return undefined;
  return new ApiError(
    'invalid_multi_search_federation_options',
    'Using `federationOptions` is not allowed in a non-federated search.\n - Hint: remove `federationOptions` from the query or add `federation` to the request.',
  );
}

/** Why a query cannot be part of a federation. */
export function federatedProblem(
  query: MultiSearchQuery,
  federation: Federation,
  isNetworkOn: boolean,
): ApiError | undefined {
  return (
    pagingProblem(query) ??
    facetsProblem(query) ??
    optionProblem(query) ??
    distinctProblem(query, federation) ??
    networkProblem(query, isNetworkOn)
  );
}

const PAGING = ['offset', 'limit', 'page', 'hitsPerPage'] as const;

function pagingProblem(query: MultiSearchQuery): ApiError | undefined {
  const given = PAGING.find((name) => query[name] != null);
  if (given === undefined) return undefined;
  return new ApiError(
    'invalid_multi_search_query_pagination',
    `Using pagination options is not allowed in federated queries.\n - Hint: remove \`${given}\` from the query or remove \`federation\` from the request\n - Hint: pass \`federation.limit\` and \`federation.offset\` for pagination in federated search`,
  );
}

function facetsProblem({ facets, indexUid }: MultiSearchQuery): ApiError | undefined {
  // A list of no names asks for nothing.
  if (facets == null || facets.length === 0) return undefined;
  const names = facets.map((name) => JSON.stringify(name)).join(', ');
  return new ApiError(
    'invalid_multi_search_query_facets',
    `Using facet options is not allowed in federated queries.\n - Hint: remove \`facets\` from the query or remove \`federation\` from the request\n - Hint: pass \`federation.facetsByIndex.${indexUid}: [${names}]\` for facets in federated search`,
  );
}

function optionProblem(query: MultiSearchQuery): ApiError | undefined {
  const refused = (code: ErrorCode, name: string, more = '') =>
    new ApiError(
      code,
      `Using \`.${name}\` is not allowed in federated queries.\n - Hint: remove \`${name}\` from the query or remove \`federation\` from the request${more}`,
    );
  if (query.personalize != null) {
    const more = '\n - Hint: pass `federation.personalize` for personalization in federated search';
    return refused('invalid_multi_search_query_personalization', 'personalize', more);
  }
  if (query.showPerformanceDetails === true) {
    const code = 'invalid_multi_search_query_show_performance_details';
    return refused(code, 'showPerformanceDetails');
  }
  return undefined;
}

function distinctProblem(query: MultiSearchQuery, federation: Federation): ApiError | undefined {
  if (query.distinct == null || federation.distinct == null) return undefined;
  return new ApiError(
    'invalid_multi_search_distinct',
    'Using `distinct` options is not allowed in federated queries when it also appears in `.federation.distinct`.\n - Hint: remove `distinct` from the query or remove `federation` from the request\n  - Note: `distinct` at the query level is discouraged in federated search.',
  );
}

function networkProblem(
  { federationOptions, useNetwork }: MultiSearchQuery,
  isNetworkOn: boolean,
): ApiError | undefined {
  if (federationOptions?.remote != null) {
    if (!isNetworkOn) return featureNotEnabled('network', 'Performing a remote federated search');
    if (useNetwork != null) {
      return new ApiError(
        'invalid_multi_search_federation_options',
        'Using `.useNetwork` is not allowed as the same time as `.federationOptions.remote`.\n  - Hint: to perform an explicit query against a remote, remove `.useNetwork`.\n  - Hint: to automatically perform queries against the entire network, remove `.federationOptions.remote`.',
      );
    }
  }
  if (federationOptions?.queryPosition != null && !isNetworkOn) {
    return featureNotEnabled('network', 'Using `federationOptions.queryPosition`');
  }
  return undefined;
}
