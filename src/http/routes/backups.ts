import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

/** Making dumps and snapshots. What is sent along is not read. */
export const backupRoutes = ({ tasks }: Services): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/dumps',
    actions: ['dumps.create'],
    handle: ({ reply }) => {
      reply.code(202);
      return tasks.enqueue({ type: 'dumpCreation' });
    },
  }),
  route({
    method: 'POST',
    path: '/snapshots',
    actions: ['snapshots.create'],
    handle: ({ reply }) => {
      reply.code(202);
      return tasks.enqueue({ type: 'snapshotCreation' });
    },
  }),
];
