import { ApiError } from '../errors/api-error.js';
import type { FilterProblem } from '../native/filter.js';

/**
 * Why documents cannot be chosen by a filter: it says nothing, cannot be read, or uses an operator
 * whose feature is off. `before` is put before what is wrong with the filter itself.
 */
export function chosenByFilterProblem(
  filter: unknown,
  check: (filter: string) => FilterProblem | undefined,
  before = '',
): ApiError | undefined {
  const refused = (message: string) => new ApiError('invalid_document_filter', before + message);
  if (filter === '' || (Array.isArray(filter) && filter.length === 0)) {
    return refused('Sending an empty filter is forbidden.');
  }
  const problem = check(JSON.stringify(filter));
  if (problem === undefined) return undefined;
  if (problem.code !== 'feature_not_enabled') return refused(problem.message);
  return new ApiError('feature_not_enabled', problem.message);
}
