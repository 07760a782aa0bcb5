import type { TaskStatus, TaskType } from './task.js';

/**
 * Which tasks, or batches, are asked for: values of one list are alternatives, different criteria
 * combine, an absent one does not restrict. Dates are days, `2026-01-31`, or date-times of RFC 3339;
 * they are exclusive.
 */
export interface TaskFilter {
  /** Results of a page at the most; 20 when absent. */
  limit?: number | undefined;
  /** The uid that a page begins at: `next` of the page before. */
  from?: number | undefined;
  /** The oldest first. */
  reverse?: boolean | undefined;
  uids?: readonly number[] | undefined;
  batchUids?: readonly number[] | undefined;
  /** Uids of the tasks that canceled them. */
  canceledBy?: readonly number[] | undefined;
  types?: readonly TaskType[] | undefined;
  statuses?: readonly TaskStatus[] | undefined;
  indexUids?: readonly string[] | undefined;
  /** Index patterns the asker may see; all when absent. @internal */
  visibleIndexes?: readonly string[] | undefined;
  afterEnqueuedAt?: string | undefined;
  beforeEnqueuedAt?: string | undefined;
  afterStartedAt?: string | undefined;
  beforeStartedAt?: string | undefined;
  afterFinishedAt?: string | undefined;
  beforeFinishedAt?: string | undefined;
}

/** The criteria of a filter without its page. @internal */
export function criteriaOf(filter: TaskFilter): TaskFilter {
  const { limit: _limit, from: _from, reverse: _reverse, ...criteria } = filter;
  return criteria;
}

/** The criteria of a filter as the query of a request would hold them. @internal */
export function queryOf(filter: TaskFilter): string {
  const { visibleIndexes: _, ...criteria } = criteriaOf(filter);
  const given = Object.entries(criteria).filter(([, value]) => value !== undefined);
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `?${query.join('&').replaceAll('%2C', ',')}`;
}
