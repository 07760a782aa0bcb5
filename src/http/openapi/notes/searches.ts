import type { ErrorCode } from '../../../errors/codes.js';
import {
  facetSearchAnswer,
  multiSearchAnswer,
  searchAnswer,
  similarAnswer,
} from '../answers/searches.js';
import { type AnsweredCode, answered, type TagNotes } from '../route-notes.js';

/** What the embedder of a search may answer with. */
const EMBEDDING: readonly ErrorCode[] = [
  'missing_search_hybrid',
  'invalid_search_media_and_vector',
  'invalid_search_embedder',
  'invalid_search_hybrid_query',
  'invalid_vector_dimensions',
  'vector_embedding_error',
];

/** What the service that reorders hits may answer with. */
const PERSONAL: readonly ErrorCode[] = [
  'remote_bad_request',
  'remote_bad_response',
  'remote_could_not_send_request',
  'remote_invalid_api_key',
  'remote_remote_error',
  'remote_timeout',
];

const SEARCH: readonly ErrorCode[] = [
  ...EMBEDDING,
  ...PERSONAL,
  'index_not_found',
  'feature_not_enabled',
  'too_many_search_requests',
  'invalid_search_distinct',
  'invalid_search_facets',
  'invalid_search_filter',
  'invalid_search_sort',
  'invalid_search_vector',
  'invalid_search_attributes_to_search_on',
];

const MULTI_SEARCH: readonly AnsweredCode[] = [
  ...SEARCH,
  // What is wrong with one query is wrong with the request.
  ['index_not_found', 400],
  'invalid_multi_search_distinct',
  'invalid_multi_search_facet_order',
  'invalid_multi_search_facets_by_index',
  'invalid_multi_search_federation_options',
  'invalid_multi_search_query_facets',
  'invalid_multi_search_query_pagination',
  'invalid_multi_search_query_personalization',
  'invalid_multi_search_query_ranking_rules',
  'invalid_multi_search_query_show_performance_details',
  'invalid_multi_search_remote',
];

const SIMILAR: readonly ErrorCode[] = [
  'index_not_found',
  'feature_not_enabled',
  'too_many_search_requests',
  'not_found_similar_id',
  'invalid_similar_id',
  'invalid_similar_embedder',
  'invalid_similar_filter',
];

const FOUND = { 200: answered('What was found', searchAnswer) };
const SIMILAR_FOUND = { 200: answered('Documents, the most similar ones first', similarAnswer) };

/** Searches of all kinds. */
export const searchNotes: TagNotes = {
  tag: 'Search',
  description: 'Finding documents: by words, by facets, by meaning, in one index or in several.',
  routes: {
    'POST /indexes/:indexUid/search': {
      id: 'search',
      summary: 'Search an index',
      description:
        'Every parameter is optional; null stands for its default. Without `q` all documents match.',
      answers: FOUND,
      codes: SEARCH,
      headers: ['IncludeMetadata'],
    },
    'GET /indexes/:indexUid/search': {
      id: 'searchByQuery',
      summary: 'Search an index, with the parameters in the query string',
      answers: FOUND,
      codes: SEARCH,
      headers: ['IncludeMetadata'],
    },
    'POST /multi-search': {
      id: 'multiSearch',
      summary: 'Search several indexes at once',
      description:
        'With `federation` the answers of all queries become one list of hits, otherwise each query is answered by itself.',
      answers: {
        200: answered('One answer for each query, or one of them all', multiSearchAnswer),
      },
      codes: MULTI_SEARCH,
      headers: ['IncludeMetadata'],
    },
    'POST /indexes/:indexUid/facet-search': {
      id: 'searchFacet',
      summary: 'Search the values of a facet',
      answers: {
        200: answered('Values, with the number of documents that have each', facetSearchAnswer),
      },
      codes: [...SEARCH, 'facet_search_disabled', 'invalid_facet_search_facet_name'],
    },
    'POST /indexes/:indexUid/similar': {
      id: 'findSimilar',
      summary: 'Find documents that are similar to one',
      answers: SIMILAR_FOUND,
      codes: SIMILAR,
    },
    'GET /indexes/:indexUid/similar': {
      id: 'findSimilarByQuery',
      summary: 'Find documents that are similar to one, with the parameters in the query string',
      answers: SIMILAR_FOUND,
      codes: SIMILAR,
    },
  },
};
