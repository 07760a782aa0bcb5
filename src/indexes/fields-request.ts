import * as z from 'zod';
import { coded, positiveInteger } from '../validation/field-rules.js';

const filter = z.strictObject({
  attributePatterns: coded(
    'invalid_index_fields_filter_attribute_patterns',
    z.array(z.string()),
  ).nullish(),
  displayed: coded('invalid_index_fields_filter_displayed', z.boolean()).nullish(),
  searchable: coded('invalid_index_fields_filter_searchable', z.boolean()).nullish(),
  sortable: coded('invalid_index_fields_filter_sortable', z.boolean()).nullish(),
  distinct: coded('invalid_index_fields_filter_distinct', z.boolean()).nullish(),
  rankingRule: coded('invalid_index_fields_filter_ranking_rule', z.boolean()).nullish(),
  filterable: coded('invalid_index_fields_filter_filterable', z.boolean()).nullish(),
});

/** Body of a listing of the fields of an index. */
export const fieldsRequestSchema = z
  .strictObject({
    offset: coded('invalid_index_offset', positiveInteger).default(0),
    limit: coded('invalid_index_limit', positiveInteger).default(20),
    filter: coded('invalid_index_fields_filter', filter)
      .nullish()
      .meta({ description: 'Which fields are listed' }),
  })
  .meta({ id: 'FieldsRequest' });
