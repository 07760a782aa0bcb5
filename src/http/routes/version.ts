import { PRODUCT_VERSION } from '../../config/product.js';
import { type AnyRoute, route } from '../route.js';

/** What exactly runs. */
export const versionRoutes = (): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/version',
    actions: ['version'],
    handle: () => ({ commitSha: 'unknown', commitDate: 'unknown', pkgVersion: PRODUCT_VERSION }),
  }),
];
