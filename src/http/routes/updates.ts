import { taskNotFound } from '../../errors/not-found.js';
import { LARGEST_UID } from '../../tasks/task-filter-check.js';
import { indexNotFound } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';
import { updateView } from '../update-view.js';
import { readTaskUid } from './tasks.js';

/** The tasks of one index, as the earlier shape shows them. */
export const updateRoutes = ({ tasks, indexes }: Services): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/indexes/:indexUid/updates',
    actions: ['tasks.get'],
    handle: async ({ indexUid }) => {
      if ((await indexes.get(indexUid)) === undefined) throw indexNotFound(indexUid);
      const filter = { indexUids: [indexUid], reverse: true, limit: LARGEST_UID };
      const updates = await tasks.updates(filter);
      return updates.filter(({ task }) => task.indexUid === indexUid).map(updateView);
    },
  }),
  route({
    method: 'GET',
    path: '/indexes/:indexUid/updates/:updateId',
    actions: ['tasks.get'],
    handle: async ({ indexUid, params: { updateId = '' } }) => {
      const uid = readTaskUid(updateId);
      const updates = await tasks.updates({ uids: [uid], limit: 1 });
      const update = updates.find(({ task }) => task.indexUid === indexUid);
      if (update !== undefined) return updateView(update);
      throw taskNotFound(uid);
    },
  }),
];
