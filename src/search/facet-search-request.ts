import * as z from 'zod';
import { coded, withRules } from '../validation/field-rules.js';
import { searchFields } from './search-request.js';

const { q, vector, media, hybrid, filter, matchingStrategy } = searchFields;
const { attributesToSearchOn, rankingScoreThreshold, locales, useNetwork } = searchFields;

/** Body of a search for facet values. Other search parameters are passed over. */
export const facetSearchRequestSchema = z
  .looseObject({
    facetQuery: coded('invalid_facet_search_query', z.string()).nullish(),
    facetName: withRules(z.string(), {
      code: 'invalid_facet_search_facet_name',
      missing: 'missing_facet_search_facet_name',
    }),
    q,
    vector,
    media,
    hybrid,
    filter,
    matchingStrategy,
    attributesToSearchOn,
    rankingScoreThreshold,
    locales,
    useNetwork,
    exhaustiveFacetCount: coded(
      'invalid_facet_search_exhaustive_facet_count',
      z.boolean(),
    ).nullish(),
  })
  .meta({ id: 'FacetSearchRequest' });

/** A search for facet values, as sent. */
export type FacetSearchRequest = z.output<typeof facetSearchRequestSchema>;
