import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/codes.js';
import { readDateBound } from '../validation/date-bound.js';
import { coded, integerUpTo, RefusedText } from '../validation/field-rules.js';
import { indexUid } from '../validation/index-uid.js';
import { validated } from '../validation/validated.js';
import { TASK_STATUSES, TASK_TYPES } from './task.js';
import type { TaskFilter } from './task-filter.js';

/** The largest identifier of a task or a batch: they are of 32 bits. */
export const LARGEST_UID = 2 ** 32 - 1;

const uid = integerUpTo(LARGEST_UID);
const uids = (code: ErrorCode) => coded(code, z.array(uid)).optional();
const date = (code: ErrorCode) => coded(code, z.string()).optional();

/** The bounds of dates, with the code of each and the side that it bounds. */
const BOUNDS = {
  afterEnqueuedAt: ['invalid_task_after_enqueued_at', 'after'],
  beforeEnqueuedAt: ['invalid_task_before_enqueued_at', 'before'],
  afterStartedAt: ['invalid_task_after_started_at', 'after'],
  beforeStartedAt: ['invalid_task_before_started_at', 'before'],
  afterFinishedAt: ['invalid_task_after_finished_at', 'after'],
  beforeFinishedAt: ['invalid_task_before_finished_at', 'before'],
} as const satisfies Partial<Record<keyof TaskFilter, readonly [ErrorCode, 'after' | 'before']>>;

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
  afterEnqueuedAt: date('invalid_task_after_enqueued_at'),
  beforeEnqueuedAt: date('invalid_task_before_enqueued_at'),
  afterStartedAt: date('invalid_task_after_started_at'),
  beforeStartedAt: date('invalid_task_before_started_at'),
  afterFinishedAt: date('invalid_task_after_finished_at'),
  beforeFinishedAt: date('invalid_task_before_finished_at'),
});

/** A filter of tasks as the store takes it; throws what is wrong with it. */
export function checkedTaskFilter(filter: TaskFilter): TaskFilter {
  const checked: TaskFilter = validated(schema, filter);
  for (const [name, [code, side]] of Object.entries(BOUNDS)) {
    const bound = name as keyof typeof BOUNDS;
    const text = checked[bound];
    if (text !== undefined) checked[bound] = dateBound(text, side, code);
  }
  return checked;
}

/** The uid of a task or of a batch; throws when it can be none. */
export function checkedUid(given: number, code: ErrorCode): number {
  return validated(coded(code, uid), given);
}

function dateBound(text: string, side: 'after' | 'before', code: ErrorCode): string | undefined {
  try {
    return readDateBound(text, side);
  } catch (error) {
    throw error instanceof RefusedText ? new ApiError(code, error.message) : error;
  }
}
