import type { ErrorCode } from '../../../errors/codes.js';
import { pageOf } from '../answers/basics.js';
import { document, remoteErrors } from '../answers/searches.js';
import { taskSummary } from '../answers/tasks.js';
import { answered, type TagNotes } from '../route-notes.js';

const documentPage = pageOf(document).extend({ remoteErrors: remoteErrors.optional() });
const ACCEPTED = { 202: answered('The write is in the queue', taskSummary) };
const READ: readonly ErrorCode[] = ['index_not_found', 'feature_not_enabled'];
const LISTED: readonly ErrorCode[] = [
  ...READ,
  'invalid_document_filter',
  'invalid_document_sort',
  'too_many_search_requests',
];
const WRITTEN = 'A missing index is created, unless `skipCreation` is set or the key may not.';

/** Reading and writing documents. */
export const documentNotes: TagNotes = {
  tag: 'Documents',
  description: 'Reading documents as they are stored, and writing them: writes are tasks.',
  routes: {
    'GET /indexes/:indexUid/documents': {
      id: 'listDocuments',
      summary: 'List documents',
      answers: { 200: answered('A part of the documents', documentPage) },
      codes: LISTED,
    },
    'POST /indexes/:indexUid/documents/fetch': {
      id: 'fetchDocuments',
      summary: 'List documents, with the parameters in the body',
      answers: { 200: answered('A part of the documents', documentPage) },
      codes: LISTED,
    },
    'GET /indexes/:indexUid/documents/:documentId': {
      id: 'getDocument',
      summary: 'Read a document',
      answers: { 200: answered('The document', document) },
      codes: [...READ, 'document_not_found'],
    },
    'POST /indexes/:indexUid/documents': {
      id: 'replaceDocuments',
      summary: 'Add documents, or replace those that are there',
      description: WRITTEN,
      answers: ACCEPTED,
    },
    'PUT /indexes/:indexUid/documents': {
      id: 'updateDocuments',
      summary: 'Add documents, or change the given fields of those that are there',
      description: WRITTEN,
      answers: ACCEPTED,
    },
    'DELETE /indexes/:indexUid/documents/:documentId': {
      id: 'deleteDocument',
      summary: 'Delete a document',
      answers: ACCEPTED,
    },
    'DELETE /indexes/:indexUid/documents': {
      id: 'deleteAllDocuments',
      summary: 'Delete all documents of an index',
      answers: ACCEPTED,
    },
    'POST /indexes/:indexUid/documents/delete-batch': {
      id: 'deleteDocumentsById',
      summary: 'Delete documents by their ids',
      answers: ACCEPTED,
    },
    'POST /indexes/:indexUid/documents/delete': {
      id: 'deleteDocumentsByFilter',
      summary: 'Delete the documents that a filter selects',
      answers: ACCEPTED,
      codes: ['invalid_document_filter'],
    },
    'POST /indexes/:indexUid/documents/edit': {
      id: 'editDocuments',
      summary: 'Edit documents by a function',
      description: 'Asks for the experimental feature `editDocumentsByFunction`.',
      answers: ACCEPTED,
      codes: ['feature_not_enabled', 'invalid_document_filter', 'invalid_document_edition_context'],
    },
  },
};
