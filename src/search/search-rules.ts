import { ApiError } from '../errors/api-error.js';
import { featureNotEnabled, personalizationNotEnabled } from '../features/feature.js';
import type { SearchQuery, SearchRequest } from './search-request.js';

/** What a server offers to searches beyond its indexes. */
export interface SearchOffers {
  /** Which experimental features are on. */
  readonly features: Readonly<Record<string, boolean>>;
  /** Whether there is a service that personalises. */
  readonly personalization: boolean;
}

/** Why a search cannot be run although each of its parameters is right. */
export function searchProblem(request: SearchRequest, offers: SearchOffers): ApiError | undefined {
  const { vector, media, hybrid } = request;
  if (vector != null && media != null) {
    const message = 'Invalid request: both `media` and `vector` parameters are present.';
    return new ApiError('invalid_search_media_and_vector', message);
  }
  if ((vector != null || media != null) && hybrid == null) {
    const message =
      'Invalid request: missing `hybrid` parameter when `vector` or `media` are present.';
    return new ApiError('missing_search_hybrid', message);
  }
  if (request.personalize != null && !offers.personalization) return personalizationNotEnabled();
  if (request.useNetwork != null && offers.features.network !== true) {
    return featureNotEnabled('network', 'passing `useNetwork` in a search query');
  }
  return undefined;
}

/** The search that a query string asks for. */
export function requestOfQuery(query: SearchQuery): SearchRequest {
  const { hybridEmbedder, hybridSemanticRatio, personalizeUserContext, ...shared } = query;
  if (hybridEmbedder === undefined && hybridSemanticRatio !== undefined) {
    const message = '`hybridEmbedder` is mandatory when `hybridSemanticRatio` is present';
    throw new ApiError('invalid_search_hybrid_query', message);
  }
  if (hybridEmbedder === undefined && query.vector !== undefined) {
    const message = '`hybridEmbedder` is mandatory when `vector` is present';
    throw new ApiError('missing_search_hybrid', message);
  }
  return {
    ...shared,
    ...(hybridEmbedder === undefined
      ? {}
      : { hybrid: { embedder: hybridEmbedder, semanticRatio: hybridSemanticRatio } }),
    ...(personalizeUserContext === undefined
      ? {}
      : { personalize: { userContext: personalizeUserContext } }),
  } as SearchRequest;
}
