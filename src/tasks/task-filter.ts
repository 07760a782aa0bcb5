/**
 * Which tasks, or batches, are asked for: values of one list are alternatives, different criteria
 * combine, an absent one does not restrict. Dates are RFC 3339 and exclusive.
 */
export interface TaskFilter {
  limit?: number | undefined;
  from?: number | undefined;
  reverse?: boolean | undefined;
  uids?: number[] | undefined;
  batchUids?: number[] | undefined;
  canceledBy?: number[] | undefined;
  types?: string[] | undefined;
  statuses?: string[] | undefined;
  indexUids?: string[] | undefined;
  /** Index patterns the asker may see; all when absent. */
  visibleIndexes?: readonly string[] | undefined;
  afterEnqueuedAt?: string | undefined;
  beforeEnqueuedAt?: string | undefined;
  afterStartedAt?: string | undefined;
  beforeStartedAt?: string | undefined;
  afterFinishedAt?: string | undefined;
  beforeFinishedAt?: string | undefined;
}

/** The criteria of a filter without its page. */
export function criteriaOf(filter: TaskFilter): TaskFilter {
  const { limit: _limit, from: _from, reverse: _reverse, ...criteria } = filter;
  return criteria;
}
