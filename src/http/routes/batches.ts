import { ApiError } from '../../errors/api-error.js';
import { accessTo, type Keys } from '../authenticate.js';
import { changeAnswer, LINES, seesBatch } from '../change-answer.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';
import { taskListQuerySchema } from '../task-query.js';
import { uidOf } from '../uid-text.js';
import { visibleTasks } from './tasks.js';

/** Groups of tasks that were run together. */
export const batchRoutes = (
  { tasks, changes, longJson }: Services,
  keys: Keys | undefined,
): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/batches',
    actions: ['tasks.get'],
    query: taskListQuerySchema,
    handle: async ({ query, access }) => {
      const page = await tasks.batchPage(visibleTasks(query, access));
      return 'json' in page ? longJson.run('batchPage', page.json, page.progress) : page;
    },
  }),
  route({
    method: 'GET',
    path: '/batches/stream',
    actions: ['tasks.get'],
    answers: LINES.contentType,
    handle: ({ request, reply }) => {
      const follow = changes.followBatches.bind(changes);
      const access = () => accessTo(request, keys, ['tasks.get']);
      return changeAnswer({ follow, sees: seesBatch, access }, reply);
    },
  }),
  route({
    method: 'GET',
    path: '/batches/:batchUid',
    actions: ['tasks.get'],
    handle: async ({ params: { batchUid = '' }, access }) => {
      const uid = readBatchUid(batchUid);
      const page = await tasks.batchPage(visibleTasks({ batchUids: [uid], limit: 1 }, access));
      if ('json' in page) return longJson.run('batch', page.json, page.progress);
      const batch = page.results[0];
      if (batch !== undefined) return batch;
      throw new ApiError('batch_not_found', `Batch \`${uid}\` not found.`);
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
