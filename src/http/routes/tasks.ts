import type { FastifyReply } from 'fastify';
import type { Access } from '../../auth/access.js';
import { ApiError } from '../../errors/api-error.js';
import { taskNotFound } from '../../errors/not-found.js';
import { requireFeature } from '../../features/feature.js';
import { formatByteSize } from '../../indexes/byte-size.js';
import type { TaskSummary } from '../../tasks/task.js';
import type { TaskFilter } from '../../tasks/task-filter.js';
import { accessTo, type Keys } from '../authenticate.js';
import { changeAnswer, LINES, seesTask } from '../change-answer.js';
import { RawAnswer } from '../raw-answer.js';
import { type AnyRoute, type RouteInput, rawQuery, route } from '../route.js';
import type { Services } from '../services.js';
import { taskListQuerySchema, taskSelectionQuerySchema } from '../task-query.js';
import { uidOf } from '../uid-text.js';

/** The queue and history of writes. */
export const taskRoutes = (
  { tasks, changes, features, taskDocuments, longJson }: Services,
  keys: Keys | undefined,
): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/tasks',
    actions: ['tasks.get'],
    query: taskListQuerySchema,
    handle: async ({ query, access }) => {
      const page = await tasks.page(visibleTasks(query, access));
      return Buffer.isBuffer(page) ? longJson.run('taskPage', page) : page;
    },
  }),
  route({
    method: 'GET',
    path: '/tasks/stream',
    actions: ['tasks.get'],
    answers: LINES.contentType,
    handle: ({ request, reply }) => {
      const follow = changes.followTasks.bind(changes);
      const access = () => accessTo(request, keys, ['tasks.get']);
      return changeAnswer({ follow, sees: seesTask, access }, reply);
    },
  }),
  route({
    method: 'GET',
    path: '/tasks/:taskUid',
    actions: ['tasks.get'],
    handle: async ({ params: { taskUid = '' }, access }) => {
      const uid = readTaskUid(taskUid);
      const page = await tasks.page(visibleTasks({ uids: [uid], limit: 1 }, access));
      if (Buffer.isBuffer(page)) return longJson.run('task', page);
      const task = page.results[0];
      if (task !== undefined) return task;
      throw taskNotFound(uid);
    },
  }),
  route({
    method: 'GET',
    path: '/tasks/:taskUid/documents',
    actions: ['tasks.get'],
    answers: LINES.contentType,
    handle: async ({ params: { taskUid = '' }, access }) => {
      const uid = readTaskUid(taskUid);
      const action = 'Getting the documents of an enqueued task';
      requireFeature(features.all(), 'getTaskDocumentsRoute', action);
      const page = await tasks.list(visibleTasks({ uids: [uid], limit: 1 }, access));
      if (page.results.length === 0) throw taskNotFound(uid);
      const documents = await taskDocuments(uid);
      if (documents === undefined) throw withoutDocuments(uid);
      return new RawAnswer(documents, LINES.contentType);
    },
  }),
  route({
    method: 'POST',
    path: '/tasks/compact',
    actions: ['tasks.compact'],
    handle: ({ reply }) => {
      const action = 'Using the /tasks/compact route';
      requireFeature(features.all(), 'taskQueueCompactionRoute', action);
      return compactQueue(tasks, reply);
    },
  }),
  route({
    method: 'POST',
    path: '/tasks/cancel',
    actions: ['tasks.cancel'],
    query: taskSelectionQuerySchema,
    handle: (input) =>
      onSelected(input, 'cancel', (filter, original) => tasks.cancel(filter, original)),
  }),
  route({
    method: 'DELETE',
    path: '/tasks',
    actions: ['tasks.delete'],
    query: taskSelectionQuerySchema,
    handle: (input) =>
      onSelected(input, 'delete', (filter, original) => tasks.delete(filter, original)),
  }),
];

async function compactQueue(tasks: Services['tasks'], reply: FastifyReply): Promise<object> {
  try {
    const { before, after } = await tasks.compact();
    return {
      preSize: formatByteSize(before),
      postSize: formatByteSize(after),
      status: 'succeeded',
      actionRequired: 'you must restart your instance',
    };
  } catch (error) {
    reply.code(500);
    return { status: 'failed', errorMessage: error instanceof Error ? error.message : `${error}` };
  }
}

function withoutDocuments(uid: number): ApiError {
  return new ApiError(
    'task_file_not_found',
    `Task \`${uid}\` does not contain any documents. Only \`documentAdditionOrUpdate\` tasks with the statuses \`enqueued\` or \`processing\` contain documents`,
  );
}

/** Runs a write on the tasks that a query selects; a query that selects nothing is refused. */
function onSelected(
  { query, access, request }: RouteInput<TaskFilter, undefined>,
  verb: string,
  write: (filter: TaskFilter, originalFilter: string) => Promise<TaskSummary>,
): Promise<TaskSummary> {
  const text = rawQuery(request);
  if (text.replaceAll('&', '') === '') throw missingFilters(verb);
  return write(visibleTasks(query, access), `?${text}`);
}

function missingFilters(verb: string): ApiError {
  return new ApiError(
    'missing_task_filters',
    `Query parameters to filter the tasks to ${verb} are missing. Available query parameters are: \`uids\`, \`indexUids\`, \`statuses\`, \`types\`, \`canceledBy\`, \`beforeEnqueuedAt\`, \`afterEnqueuedAt\`, \`beforeStartedAt\`, \`afterStartedAt\`, \`beforeFinishedAt\`, \`afterFinishedAt\`.`,
  );
}

/** A filter narrowed to what the sender may see. */
export function visibleTasks(filter: TaskFilter, access: Access): TaskFilter {
  const { visibleIndexes } = access;
  return visibleIndexes === undefined ? filter : { ...filter, visibleIndexes };
}

/** The uid of a task in a path. */
export function readTaskUid(text: string): number {
  const uid = uidOf(text);
  if (uid !== undefined) return uid;
  throw new ApiError(
    'invalid_task_uids',
    `Task uid \`${text}\` is invalid. It should only contain numeric characters.`,
  );
}
