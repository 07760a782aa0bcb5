import * as z from 'zod';
import { documentIdOf, invalidDocumentId } from '../documents/document-id.js';
import { coded, positiveInteger, withRules } from '../validation/field-rules.js';
import { filterSchema, readFilter, readFraction, scoreThreshold } from './search-request.js';

const names = z.array(z.string());

const documentId = z
  .any()
  .refine((given: unknown) => documentIdOf(given) !== undefined, {
    error: (issue) => invalidDocumentId(issue.input),
  })
  .meta({ anyOf: [{ type: 'string' }, { type: 'integer' }] });

const threshold = scoreThreshold('rankingScoreThreshold');

const sharedBefore = {
  id: withRules(documentId, {
    code: 'invalid_similar_id',
    missing: 'bad_request',
    keepsDigits: true,
  }),
  offset: coded('invalid_similar_offset', positiveInteger).optional(),
  limit: coded('invalid_similar_limit', positiveInteger).optional(),
};

const embedder = withRules(z.string(), {
  code: 'invalid_similar_embedder',
  missing: 'bad_request',
});

const sharedAfter = {
  attributesToRetrieve: coded('invalid_similar_attributes_to_retrieve', names).nullish(),
  retrieveVectors: coded('invalid_similar_retrieve_vectors', z.boolean()).optional(),
  showRankingScore: coded('invalid_similar_show_ranking_score', z.boolean()).optional(),
  showRankingScoreDetails: coded(
    'invalid_similar_show_ranking_score_details',
    z.boolean(),
  ).optional(),
  showPerformanceDetails: coded('invalid_similar_show_performance_details', z.boolean()).optional(),
};

/** Body of a search for documents similar to one, its fields in the order of messages. */
export const similarRequestSchema = z
  .strictObject({
    ...sharedBefore,
    filter: coded('invalid_similar_filter', filterSchema).nullish(),
    embedder,
    ...sharedAfter,
    rankingScoreThreshold: coded('invalid_similar_ranking_score_threshold', threshold).nullish(),
  })
  .meta({ id: 'SimilarRequest' });

/** A search for documents similar to one. */
export type SimilarRequest = z.output<typeof similarRequestSchema>;

/** Query string of a search for documents similar to one. */
export const similarQuerySchema = z.strictObject({
  ...sharedBefore,
  filter: withRules(filterSchema, {
    code: 'invalid_similar_filter',
    fromText: readFilter,
  }).nullish(),
  embedder,
  ...sharedAfter,
  rankingScoreThreshold: withRules(threshold, {
    code: 'invalid_similar_ranking_score_threshold',
    fromText: readFraction,
  }).optional(),
});
