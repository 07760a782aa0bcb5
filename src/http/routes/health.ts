import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

/** Whether the server runs. Open to everyone. */
export const healthRoutes = ({ tasks }: Services): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/health',
    handle: ({ reply }) => {
      if (!tasks.mustRestart) return { status: 'available' };
      reply.code(500);
      return { status: 'mustRestart' };
    },
  }),
];
