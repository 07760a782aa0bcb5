import { pageOf } from '../answers/basics.js';
import { apiKey, earlierKeys } from '../answers/instance.js';
import { answered, type TagNotes } from '../route-notes.js';

const SHOWN = answered('The key', apiKey);

/** API keys. */
export const keyNotes: TagNotes = {
  tag: 'Keys',
  description: 'API keys: what a client may do, to which indexes, until when.',
  routes: {
    'GET /keys': {
      id: 'listKeys',
      summary: 'List API keys',
      description: 'In the earlier shape the two derived keys, for the master key only.',
      answers: { 200: answered('A part of the keys', pageOf(apiKey).or(earlierKeys)) },
      headers: ['ApiShape'],
    },
    'POST /keys': {
      id: 'createKey',
      summary: 'Create an API key',
      answers: { 201: answered('The new key', apiKey) },
      codes: ['api_key_already_exists', 'index_scoped_api_key_with_global_action'],
    },
    'GET /keys/:uidOrKey': {
      id: 'getKey',
      summary: 'Show an API key',
      answers: { 200: SHOWN },
      codes: ['api_key_not_found'],
    },
    'PATCH /keys/:uidOrKey': {
      id: 'updateKey',
      summary: 'Change the name or the description of an API key',
      answers: { 200: SHOWN },
      codes: ['api_key_not_found'],
    },
    'DELETE /keys/:uidOrKey': {
      id: 'deleteKey',
      summary: 'Delete an API key',
      answers: { 204: { description: 'The key is gone' } },
      codes: ['api_key_not_found'],
    },
  },
};
