import { chosenByFilterProblem } from '../documents/document-filter.js';
import { documentIdOf, invalidDocumentId } from '../documents/document-id.js';
import { deletionByFilterSchema } from '../documents/documents-change-request.js';
import { ApiError } from '../errors/api-error.js';
import { checkFilter } from '../native/filter.js';
import type { DeletionSelection } from '../tasks/task-draft.js';
import { validated } from '../validation/validated.js';
import { plainParameters } from './plain-parameters.js';

/** The documents of a deletion: ids, or a filter, which must say something. */
export function chosenDocuments(
  selection: readonly (string | number)[] | { readonly filter: unknown },
  features: Readonly<Record<string, boolean>>,
): DeletionSelection {
  if (isList(selection)) return { ids: selection.map(checkedId) };
  const { filter } = validated(deletionByFilterSchema, plainParameters(selection));
  const refusal = chosenByFilterProblem(filter, (text) => checkFilter(text, features));
  if (refusal === undefined) return { filter };
  throw refusal;
}

/** The text of a document id; throws `invalid_document_id` for what can be none. */
export function checkedId(given: string | number): string {
  const id = documentIdOf(given);
  if (id !== undefined) return id;
  throw new ApiError('invalid_document_id', invalidDocumentId(given));
}

const isList = Array.isArray as (value: object) => value is readonly (string | number)[];
