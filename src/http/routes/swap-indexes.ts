import { seesIndex } from '../../auth/access.js';
import { invalidKey } from '../../auth/authorize.js';
import { refuseRepeated, swapsOf, swapsSchema } from '../../indexes/index-swaps.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

/** Exchanging the names of indexes. */
export const swapIndexesRoutes = ({ tasks }: Services): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/swap-indexes',
    actions: ['indexes.swap'],
    body: swapsSchema,
    handle: ({ body, access, reply }) => {
      const swaps = swapsOf(body);
      const uids = swaps.flatMap(({ indexes }) => indexes);
      if (!uids.every((uid) => seesIndex(access, uid))) throw invalidKey();
      refuseRepeated(swaps);
      reply.code(202);
      return tasks.enqueue({ type: 'indexSwap', swaps });
    },
  }),
];
