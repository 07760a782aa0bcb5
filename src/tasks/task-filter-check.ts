import * as z from 'zod';
import type { ErrorCode } from '../errors/codes.js';
import { readDateBound } from '../validation/date-bound.js';
import { coded, integerUpTo, textReadBy } from '../validation/field-rules.js';
import { indexUid } from '../validation/index-uid.js';
import { validated } from '../validation/validated.js';
import { TASK_STATUSES, TASK_TYPES } from './task.js';
import type { TaskFilter } from './task-filter.js';

/** The largest identifier of a task or a batch: they are of 32 bits. */
export const LARGEST_UID = 2 ** 32 - 1;

const uid = integerUpTo(LARGEST_UID);
const uids = (code: ErrorCode) => coded(code, z.array(uid)).optional();
const date = (code: ErrorCode, side: 'after' | 'before') =>
  coded(
    code,
    textReadBy((text) => readDateBound(text, side)),
  ).optional();

const schema = z.strictObject({
  limit: coded('invalid_task_limit', uid).optional(),
  from: coded('invalid_task_from', uid).optional(),
  reverse: coded('invalid_task_reverse', z.boolean()).optional(),
  batchUids: uids('invalid_batch_uids'),
  uids: uids('invalid_task_uids'),
  canceledBy: uids('invalid_task_canceled_by'),
  types: coded('invalid_task_types', z.array(z.enum(TASK_TYPES))).optional(),
  statuses: coded('invalid_task_statuses', z.array(z.enum(TASK_STATUSES))).optional(),
  indexUids: coded('invalid_index_uid', z.array(indexUid('invalid_index_uid'))).optional(),
  visibleIndexes: z.array(z.string()).optional(),
  afterEnqueuedAt: date('invalid_task_after_enqueued_at', 'after'),
  beforeEnqueuedAt: date('invalid_task_before_enqueued_at', 'before'),
  afterStartedAt: date('invalid_task_after_started_at', 'after'),
  beforeStartedAt: date('invalid_task_before_started_at', 'before'),
  afterFinishedAt: date('invalid_task_after_finished_at', 'after'),
  beforeFinishedAt: date('invalid_task_before_finished_at', 'before'),
});

/** A filter of tasks as the store takes it; throws what is wrong with it. */
export function checkedTaskFilter(filter: TaskFilter): TaskFilter {
  return validated(schema, filter);
}

/** The uid of a task or of a batch; throws when it can be none. */
export function checkedUid(given: number, code: ErrorCode): number {
  return validated(coded(code, uid), given);
}
