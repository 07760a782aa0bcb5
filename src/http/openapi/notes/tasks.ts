import * as z from 'zod';
import { errorSchema } from '../answers/basics.js';
import {
  batch,
  compaction,
  failedCompaction,
  task,
  taskSummary,
  uidPageOf,
} from '../answers/tasks.js';
import { answered, type TagNotes } from '../route-notes.js';

const LINES = 'application/x-ndjson';
const EVENTS = 'text/event-stream';
const text = z.string();
const ACCEPTED = answered('The write is in the queue', taskSummary);

/** The queue and history of writes. */
export const taskNotes: TagNotes = {
  tag: 'Tasks',
  description: 'Writes are answered at once and done later: as tasks, which are run in batches.',
  routes: {
    'GET /tasks': {
      id: 'listTasks',
      summary: 'List tasks, newest first',
      answers: { 200: answered('A part of the tasks', uidPageOf(task)) },
    },
    'DELETE /tasks': {
      id: 'deleteTasks',
      summary: 'Delete the finished tasks that a filter selects',
      answers: { 200: ACCEPTED },
      codes: ['missing_task_filters'],
    },
    'POST /tasks/cancel': {
      id: 'cancelTasks',
      summary: 'Cancel the tasks that a filter selects and that are not finished',
      answers: { 200: ACCEPTED },
      codes: ['missing_task_filters'],
    },
    'GET /tasks/stream': {
      id: 'followTasks',
      summary: 'Follow the tasks: every change of status, for as long as the connection lasts',
      answers: {
        200: { description: 'One task a line or event', schema: text, mediaTypes: [LINES, EVENTS] },
      },
    },
    'GET /tasks/:taskUid': {
      id: 'getTask',
      summary: 'Show a task',
      answers: { 200: answered('The task', task) },
      codes: ['task_not_found', 'invalid_task_uids'],
    },
    'GET /tasks/:taskUid/documents': {
      id: 'getTaskDocuments',
      summary: 'Read the documents of a task that is not finished',
      description: 'Asks for the experimental feature `getTaskDocumentsRoute`.',
      answers: {
        200: { description: 'One document a line', schema: text, mediaTypes: [LINES] },
      },
      codes: ['task_not_found', 'task_file_not_found', 'invalid_task_uids', 'feature_not_enabled'],
    },
    'POST /tasks/compact': {
      id: 'compactTasks',
      summary: 'Rewrite the store of tasks so that it takes less room',
      description:
        'Asks for the experimental feature `taskQueueCompactionRoute`. Writes are refused from then on until the server is started again.',
      answers: {
        200: answered('What was done', compaction),
        500: answered('Nothing was done', failedCompaction.or(errorSchema)),
      },
      codes: ['feature_not_enabled'],
    },
    'GET /batches': {
      id: 'listBatches',
      summary: 'List batches, newest first',
      answers: { 200: answered('A part of the batches', uidPageOf(batch)) },
    },
    'GET /batches/stream': {
      id: 'followBatches',
      summary: 'Follow the batches: all progress, for as long as the connection lasts',
      answers: {
        200: {
          description: 'One batch a line or event',
          schema: text,
          mediaTypes: [LINES, EVENTS],
        },
      },
    },
    'GET /batches/:batchUid': {
      id: 'getBatch',
      summary: 'Show a batch',
      answers: { 200: answered('The batch', batch) },
      codes: ['batch_not_found', 'invalid_batch_uids'],
    },
  },
};
