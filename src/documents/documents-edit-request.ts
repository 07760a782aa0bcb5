import * as z from 'zod';
import { filterSchema } from '../search/search-request.js';
import { coded, withRules } from '../validation/field-rules.js';

/** Body of an edition of documents by a function. */
export const documentsEditSchema = coded(
  'bad_request',
  z.strictObject({
    filter: coded('invalid_document_filter', filterSchema).nullish(),
    context: coded(
      'invalid_document_edition_context',
      z.any().meta({ type: 'object', description: 'What the function may read as `context`' }),
    ).nullish(),
    function: withRules(z.string(), {
      code: 'invalid_document_edition_function_filter',
      missing: 'missing_document_edition_function',
    }),
  }),
);

/** An edition of documents by a function. */
export type DocumentsEdit = z.output<typeof documentsEditSchema>;
