import * as z from 'zod';
import { pageOf } from '../answers/basics.js';
import { field, index, indexStats, stats } from '../answers/indexes.js';
import { taskSummary, update } from '../answers/tasks.js';
import { answered, type TagNotes } from '../route-notes.js';

const ACCEPTED = { 202: answered('The write is in the queue', taskSummary) };

/** Indexes as things with a name and a primary key. */
export const indexNotes: TagNotes = {
  tag: 'Indexes',
  description: 'Indexes as things with a name and a primary key, and what is in them.',
  routes: {
    'GET /indexes': {
      id: 'listIndexes',
      summary: 'List indexes',
      description: 'Only those that the key may see.',
      answers: { 200: answered('A part of the indexes', pageOf(index)) },
    },
    'POST /indexes': { id: 'createIndex', summary: 'Create an index', answers: ACCEPTED },
    'GET /indexes/:indexUid': {
      id: 'getIndex',
      summary: 'Show an index',
      answers: { 200: answered('The index', index) },
      codes: ['index_not_found'],
    },
    'PATCH /indexes/:indexUid': {
      id: 'updateIndex',
      summary: 'Change the primary key or the uid of an index',
      answers: ACCEPTED,
    },
    'DELETE /indexes/:indexUid': {
      id: 'deleteIndex',
      summary: 'Delete an index with its documents',
      answers: ACCEPTED,
    },
    'POST /indexes/:indexUid/compact': {
      id: 'compactIndex',
      summary: 'Rewrite the files of an index so that they take less room',
      answers: ACCEPTED,
    },
    'POST /indexes/:indexUid/fields': {
      id: 'listFields',
      summary: 'List the fields of the documents, with what the settings make of each',
      answers: { 200: answered('A part of the fields', pageOf(field)) },
      codes: ['index_not_found'],
    },
    'POST /swap-indexes': {
      id: 'swapIndexes',
      summary: 'Exchange the uids of pairs of indexes',
      answers: ACCEPTED,
      codes: ['invalid_swap_duplicate_index_found'],
    },
    'GET /indexes/:indexUid/stats': {
      id: 'getIndexStats',
      summary: 'Show counts and sizes of an index',
      answers: { 200: answered('Counts and sizes', indexStats) },
      codes: ['index_not_found'],
      headers: ['ApiShape'],
    },
    'GET /stats': {
      id: 'getStats',
      summary: 'Show counts and sizes of all indexes',
      answers: { 200: answered('Counts and sizes', stats) },
      headers: ['ApiShape'],
    },
    'GET /indexes/:indexUid/updates': {
      id: 'listUpdates',
      summary: 'List the tasks of an index, as the earlier shape shows them',
      answers: { 200: answered('All updates, oldest first', z.array(update)) },
      codes: ['index_not_found'],
    },
    'GET /indexes/:indexUid/updates/:updateId': {
      id: 'getUpdate',
      summary: 'Show a task of an index, as the earlier shape shows it',
      answers: { 200: answered('The update', update) },
      codes: ['task_not_found', 'invalid_task_uids'],
    },
  },
};
