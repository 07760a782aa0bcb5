import { ApiError } from '../../errors/api-error.js';
import { changeAnswer, LINES, seesBatch } from '../change-answer.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';
import { taskListQuerySchema } from '../task-query.js';
import { uidOf } from '../uid-text.js';
import { visibleTasks } from './tasks.js';

/** Groups of tasks that were run together. */
export const batchRoutes = ({ tasks, changes }: Services): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/batches',
    actions: ['tasks.get'],
    query: taskListQuerySchema,
    handle: ({ query, access }) => tasks.listBatches(visibleTasks(query, access)),
  }),
  route({
    method: 'GET',
    path: '/batches/stream',
    actions: ['tasks.get'],
    answers: LINES.contentType,
    handle: ({ access, reply }) => {
      const sees = seesBatch(access);
      return changeAnswer((frame) => changes.followBatches({ sees, frame }), LINES, reply);
    },
  }),
  route({
    method: 'GET',
    path: '/batches/:batchUid',
    actions: ['tasks.get'],
    handle: async ({ params: { batchUid = '' }, access }) => {
      const uid = readBatchUid(batchUid);
      const page = await tasks.listBatches(visibleTasks({ batchUids: [uid], limit: 1 }, access));
      const batch = page.results[0];
      if (batch !== undefined) return batch;
      throw new ApiError('batch_not_found', `Batch \`${batchUid}\` not found.`);
    },
  }),
];

function readBatchUid(text: string): number {
  const uid = uidOf(text);
  if (uid !== undefined) return uid;
  throw new ApiError(
    'invalid_batch_uids',
    `Batch uid \`${text}\` is invalid. It should only contain numeric characters.`,
  );
}
