import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
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

/** What the function may read as `context`; throws when that is no object. */
export function contextOf({ context = null }: DocumentsEdit): Record<string, unknown> | null {
  if (context === null || (typeof context === 'object' && !Array.isArray(context))) return context;
  throw new ApiError('invalid_document_edition_context', 'The context must be an object');
}
