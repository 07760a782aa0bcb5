import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { filterSchema, readFilter, readSort } from '../search/search-request.js';
import { coded, positiveInteger, withRules } from '../validation/field-rules.js';
import { documentIdOf, invalidDocumentId } from './document-id.js';

const offset = coded('invalid_document_offset', positiveInteger).optional();
const limit = coded('invalid_document_limit', positiveInteger).optional();
const retrieveVectors = coded('invalid_document_retrieve_vectors', z.boolean()).optional();
const useNetwork = coded('invalid_document_use_network', z.boolean()).nullish();
const names = z.array(z.string());

/** Body of a fetch of documents. */
export const fetchDocumentsSchema = z
  .strictObject({
    offset,
    limit,
    fields: coded('invalid_document_fields', names).nullish(),
    retrieveVectors,
    ids: withRules(z.array(z.any()).nullish(), { code: 'invalid_document_ids', keepsDigits: true }),
    filter: coded('invalid_document_filter', filterSchema).nullish(),
    sort: coded('invalid_document_sort', names).nullish(),
    useNetwork,
  })
  .meta({ id: 'FetchDocuments' });

const fieldList = withRules(names, { code: 'invalid_document_fields', starMeansAny: true });

/** Query string of a list of documents: the same parameters as the body of a fetch. */
export const documentsQuerySchema = z.strictObject({
  offset,
  limit,
  fields: fieldList.optional(),
  retrieveVectors,
  ids: withRules(names, { code: 'invalid_document_ids', fromText: readIds }).optional(),
  filter: withRules(filterSchema, {
    code: 'invalid_document_filter',
    fromText: (text) => (text === '' ? undefined : readFilter(text)),
  }).optional(),
  sort: withRules(names, { code: 'invalid_document_sort', fromText: readSort }).optional(),
  useNetwork,
});

/** Nothing between the commas is no identifier, but nothing at all is a list without any. */
function readIds(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

/** Query string of one document. */
export const documentQuerySchema = z.strictObject({
  fields: fieldList.optional(),
  retrieveVectors,
  useNetwork,
});

/** What a list or fetch of documents asks for, whatever route it came by. */
export type FetchDocuments = z.output<typeof fetchDocumentsSchema>;

/** The JSON that the engine takes to list documents. */
export function engineDocumentsRequest(
  request: FetchDocuments,
  features: object | undefined,
): string {
  const { useNetwork: _, ids, ...rest } = request;
  const present = Object.entries(rest).filter(([, value]) => value != null);
  return JSON.stringify({
    offset: 0,
    limit: 20,
    ...Object.fromEntries(present),
    ...(ids == null ? {} : { ids: checkedIds(ids) }),
    features,
  });
}

function checkedIds(ids: readonly unknown[]): string[] {
  return ids.map((given, index) => {
    const id = documentIdOf(given);
    if (id !== undefined) return id;
    throw new ApiError(
      'invalid_document_ids',
      `In \`.ids[${index}]\`: ${invalidDocumentId(given)}`,
    );
  });
}
