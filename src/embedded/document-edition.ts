import { chosenByFilterProblem } from '../documents/document-filter.js';
import { ApiError } from '../errors/api-error.js';
import { requireFeature } from '../features/feature.js';
import { checkFunction } from '../native/document-function.js';
import { checkFilter } from '../native/filter.js';
import type { EditionDraft } from '../tasks/task-draft.js';
import type { FilterInput } from './search-types.js';
import { plainFilter } from './validated.js';

/** Which documents a function edits, and what it may read. */
export interface EditOptions<T = Record<string, unknown>> {
  /** Chooses the documents; all without it. */
  filter?: FilterInput<T> | null | undefined;
  /** What the function reads as `context`. */
  context?: Readonly<Record<string, unknown>> | null | undefined;
  /** A text that the task shows. */
  customMetadata?: string | undefined;
}

/**
 * An edition as the queue takes it; refused while its feature is off, or when it is broken.
 * @internal
 */
export async function editionDraft<T>(
  indexUid: string,
  code: string,
  { filter, context = null, customMetadata }: EditOptions<T>,
  features: Readonly<Record<string, boolean>>,
): Promise<EditionDraft> {
  requireFeature(features, 'editDocumentsByFunction', 'Editing documents by a function');
  const broken = await checkFunction(code);
  if (broken !== undefined) throw new ApiError('bad_request', broken);
  if (context !== null && (typeof context !== 'object' || Array.isArray(context))) {
    throw new ApiError('invalid_document_edition_context', 'The context must be an object');
  }
  const plain = plainFilter(filter);
  const check = (text: string) => checkFilter(text, features);
  const refusal = plain === null ? undefined : chosenByFilterProblem(plain, check);
  if (refusal !== undefined) throw refusal;
  return {
    type: 'documentEdition',
    indexUid,
    function: code,
    context: context === null ? null : JSON.parse(JSON.stringify(context)),
    filter: plain,
    ...(customMetadata === undefined ? {} : { customMetadata }),
  };
}
