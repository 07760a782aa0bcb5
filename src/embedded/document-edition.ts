import { chosenByFilterProblem } from '../documents/document-filter.js';
import { customMetadata as metadataSchema } from '../documents/documents-change-request.js';
import { contextOf, documentsEditSchema } from '../documents/documents-edit-request.js';
import { ApiError } from '../errors/api-error.js';
import { requireFeature } from '../features/feature.js';
import { checkFunction } from '../native/document-function.js';
import { checkFilter } from '../native/filter.js';
import type { EditionDraft } from '../tasks/task-draft.js';
import { validated } from '../validation/validated.js';
import { plainParameters } from './plain-parameters.js';
import type { FilterInput } from './search-types.js';

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
  { customMetadata, ...options }: EditOptions<T>,
  features: Readonly<Record<string, boolean>>,
): Promise<EditionDraft> {
  const asked = { ...plainParameters(options), function: code };
  const edit = validated(documentsEditSchema, asked);
  const metadata = validated(metadataSchema, customMetadata);
  requireFeature(features, 'editDocumentsByFunction', 'Editing documents by a function');
  const { filter = null } = edit;
  const { context } = contextOf(edit);
  const broken = await checkFunction(edit.function);
  if (broken !== undefined) throw new ApiError('bad_request', broken);
  const check = (text: string) => checkFilter(text, features);
  const refusal = filter === null ? undefined : chosenByFilterProblem(filter, check);
  if (refusal !== undefined) throw refusal;
  return {
    type: 'documentEdition',
    indexUid,
    function: edit.function,
    context: context === null ? null : JSON.parse(JSON.stringify(context)),
    filter,
    ...(metadata === undefined ? {} : { customMetadata: metadata }),
  };
}
