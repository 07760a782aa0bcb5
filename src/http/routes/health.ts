import { type AnyRoute, route } from '../route.js';

/** Whether the server runs. Open to everyone. */
export const healthRoutes = (): AnyRoute[] => [
  route({ method: 'GET', path: '/health', handle: () => ({ status: 'available' }) }),
];
