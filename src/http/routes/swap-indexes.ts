import * as z from 'zod';
import { type Access, seesIndex } from '../../auth/access.js';
import { invalidKey } from '../../auth/authorize.js';
import { ApiError } from '../../errors/api-error.js';
import { coded, withRules } from '../../validation/field-rules.js';
import { indexUid } from '../../validation/index-uid.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

const swapsSchema = z
  .array(
    z.strictObject({
      indexes: withRules(z.array(indexUid('invalid_swap_indexes')), {
        code: 'invalid_swap_indexes',
        missing: 'missing_swap_indexes',
      }),
      rename: coded('invalid_swap_rename', z.boolean()).default(false),
    }),
  )
  .meta({ id: 'IndexSwaps' });

/** Exchanging the names of indexes. */
export const swapIndexesRoutes = ({ tasks }: Services): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/swap-indexes',
    actions: ['indexes.swap'],
    body: swapsSchema,
    handle: ({ body, access, reply }) => {
      const swaps = body.map(({ indexes, rename }) => ({ indexes: pairOf(indexes), rename }));
      const uids = swaps.flatMap(({ indexes }) => indexes);
      refuseHidden(uids, access);
      refuseRepeated(uids);
      reply.code(202);
      return tasks.enqueue({ type: 'indexSwap', swaps });
    },
  }),
];

function pairOf(uids: readonly string[]): [string, string] {
  const [first, second, ...more] = uids;
  if (first !== undefined && second !== undefined && more.length === 0) return [first, second];
  const list = `[${uids.map((uid) => JSON.stringify(uid)).join(', ')}]`;
  throw new ApiError(
    'invalid_swap_indexes',
    `Two indexes must be given for each swap. The list \`${list}\` contains ${uids.length} indexes.`,
  );
}

function refuseHidden(uids: readonly string[], access: Access): void {
  if (uids.every((uid) => seesIndex(access, uid))) return;
  throw invalidKey();
}

function refuseRepeated(uids: readonly string[]): void {
  const repeated = new Set(uids.filter((uid, at) => uids.indexOf(uid) !== at));
  if (repeated.size === 0) return;
  const list = [...repeated].sort().map((uid) => `\`${uid}\``);
  throw new ApiError(
    'invalid_swap_duplicate_index_found',
    `Indexes must be declared only once during a swap. ${list.join(', ')} ${list.length === 1 ? 'was' : 'were'} specified several times.`,
  );
}
