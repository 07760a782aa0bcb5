import * as z from 'zod';
import { coded, positiveInteger, withRules } from '../validation/field-rules.js';
import { indexUid, invalidIndexUid, isIndexUid } from '../validation/index-uid.js';
import { personalizeSchema, searchFields } from './search-request.js';

const weight = z.number().refine((value) => value >= 0, {
  error: 'the value of `weight` is invalid, expected a positive float (>= 0.0).',
});

const federationOptionsSchema = z.strictObject({
  weight: coded('invalid_multi_search_weight', weight).optional(),
  remote: coded('invalid_multi_search_remote', z.string()).nullish(),
  queryPosition: coded('invalid_multi_search_query_position', positiveInteger).nullish(),
});

const querySchema = z
  .strictObject({
    indexUid: withRules(indexUid('invalid_index_uid'), { missing: 'missing_index_uid' }),
    ...searchFields,
    // Among several searches a null says that there is none of these.
    offset: searchFields.offset.nullable(),
    limit: searchFields.limit.nullable(),
    federationOptions: federationOptionsSchema.nullish(),
  })
  .meta({ id: 'MultiSearchQuery' });

const facetsByIndex = coded(
  'invalid_multi_search_facets_by_index',
  z
    .record(z.string(), z.array(z.string()).nullable())
    .refine((facets) => Object.keys(facets).every(isIndexUid), {
      error: ({ input }) =>
        invalidIndexUid(Object.keys(input as object).find((uid) => !isIndexUid(uid)) ?? ''),
    }),
);

const mergeFacets = coded(
  'invalid_multi_search_merge_facets',
  z.strictObject({
    maxValuesPerFacet: coded(
      'invalid_multi_search_max_values_per_facet',
      positiveInteger,
    ).nullish(),
  }),
);

const federationSchema = z
  .strictObject({
    limit: coded('invalid_search_limit', positiveInteger).optional(),
    offset: coded('invalid_search_offset', positiveInteger).optional(),
    page: coded('invalid_search_page', positiveInteger).nullish(),
    hitsPerPage: coded('invalid_search_hits_per_page', positiveInteger).nullish(),
    facetsByIndex: facetsByIndex.optional(),
    mergeFacets: mergeFacets.nullish(),
    distinct: coded('invalid_search_distinct', z.string()).nullish(),
    showPerformanceDetails: coded(
      'invalid_search_show_performance_details',
      z.boolean(),
    ).optional(),
    personalize: personalizeSchema.nullish(),
  })
  .meta({ id: 'Federation' });

/** Body of several searches at once, answered one by one or as one list of hits. */
export const multiSearchSchema = z
  .strictObject({ queries: z.array(querySchema), federation: federationSchema.nullish() })
  .meta({ id: 'MultiSearchRequest' });

/** One of several searches. */
export type MultiSearchQuery = z.output<typeof querySchema>;

/** What concerns the one list of hits. */
export type Federation = z.output<typeof federationSchema>;
