import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { coded, withRules } from '../validation/field-rules.js';
import { indexUid } from '../validation/index-uid.js';

/** Body of an exchange of the names of indexes. */
export const swapsSchema = z
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

/** Two names that are exchanged, or the second of which takes the place of the first. */
export interface IndexSwap {
  readonly indexes: readonly [string, string];
  readonly rename: boolean;
}

/** Swaps of two indexes each; throws where there are fewer or more. */
export function swapsOf(body: z.output<typeof swapsSchema>): IndexSwap[] {
  return body.map(({ indexes, rename }) => ({ indexes: pairOf(indexes), rename }));
}

/** Throws when an index is in more than one place: the order of swaps would decide. */
export function refuseRepeated(swaps: readonly IndexSwap[]): void {
  const uids = swaps.flatMap(({ indexes }) => indexes);
  const seen = new Set<string>();
  const repeated = new Set(uids.filter((uid) => seen.size === seen.add(uid).size));
  if (repeated.size === 0) return;
  const list = [...repeated].sort().map((uid) => `\`${uid}\``);
  throw new ApiError(
    'invalid_swap_duplicate_index_found',
    `Indexes must be declared only once during a swap. ${list.join(', ')} ${list.length === 1 ? 'was' : 'were'} specified several times.`,
  );
}

function pairOf(uids: readonly string[]): [string, string] {
  const [first, second, ...more] = uids;
  if (first !== undefined && second !== undefined && more.length === 0) return [first, second];
  const list = `[${uids.map((uid) => JSON.stringify(uid)).join(', ')}]`;
  throw new ApiError(
    'invalid_swap_indexes',
    `Two indexes must be given for each swap. The list \`${list}\` contains ${uids.length} indexes.`,
  );
}
