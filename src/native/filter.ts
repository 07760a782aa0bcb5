import * as binding from '../../native/binding.cjs';
import type { Outcome } from './outcome.js';

type CheckFilter = (filter: string) => Outcome<null>;

/** Why a filter, given as JSON, cannot be read; `undefined` when it can. */
export function checkFilter(filter: string): string | undefined {
  const { checkFilter: check } = binding as { checkFilter?: CheckFilter };
  const outcome = check?.(filter);
  return outcome !== undefined && 'error' in outcome ? outcome.error.message : undefined;
}
