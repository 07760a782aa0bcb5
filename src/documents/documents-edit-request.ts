import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { filterSchema } from '../search/search-request.js';
import type { EditionDraft } from '../tasks/task-draft.js';
import { coded, withRules } from '../validation/field-rules.js';
import { WrittenJson } from '../validation/written-numbers.js';

/** Body of an edition of documents by a function. */
export const documentsEditSchema = coded(
  'bad_request',
  z.strictObject({
    filter: coded('invalid_document_filter', filterSchema).nullish(),
    context: withRules(
      z
        .any()
        .meta({ type: 'object', description: 'What the function may read as `context`' })
        .nullish(),
      { code: 'invalid_document_edition_context', keepsJson: true },
    ),
    function: withRules(z.string(), {
      code: 'invalid_document_edition_function_filter',
      missing: 'missing_document_edition_function',
    }),
  }),
);

/** An edition of documents by a function. */
export type DocumentsEdit = z.output<typeof documentsEditSchema>;

/** What the function may read as `context`, as an edition has it; throws when that is no object. */
export function contextOf({
  context = null,
}: DocumentsEdit): Pick<EditionDraft, 'context' | 'contextJson'> {
  const written = context instanceof WrittenJson;
  const value = written ? context.value : context;
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    throw new ApiError('invalid_document_edition_context', 'The context must be an object');
  }
  return { context: value, ...(written ? { contextJson: context.json } : {}) };
}
