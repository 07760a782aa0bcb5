import * as binding from '../../native/binding.cjs';
import type { Outcome } from './outcome.js';

type CheckFilter = (filter: string, features?: string) => Outcome<null>;

/** What is wrong with a filter. */
export interface FilterProblem {
  readonly code: string;
  readonly message: string;
}

/**
 * Why a filter, given as JSON, cannot be read; `undefined` when it can. Given the experimental
 * features, also why it may not be used: its operators need features that are off.
 */
export function checkFilter(
  filter: string,
  features?: Readonly<Record<string, unknown>>,
): FilterProblem | undefined {
  const { checkFilter: check } = binding as { checkFilter?: CheckFilter };
  const outcome = check?.(filter, features === undefined ? undefined : JSON.stringify(features));
  return outcome !== undefined && 'error' in outcome ? outcome.error : undefined;
}
