import * as z from 'zod';
import type { ErrorCode } from '../errors/codes.js';
import { TASK_STATUSES, TASK_TYPES } from '../tasks/task.js';
import { readDateBound } from '../validation/date-bound.js';
import { coded, positiveInteger, RefusedText, withRules } from '../validation/field-rules.js';
import { indexUid } from '../validation/index-uid.js';
import { uidOf } from './uid-text.js';

const uid = withRules(positiveInteger, { fromText: readUid });

function readUid(text: string): number {
  const uid = uidOf(text);
  if (uid !== undefined) return uid;
  throw new RefusedText(`could not parse \`${text}\` as a positive integer`);
}

const uids = (code: ErrorCode) => withRules(z.array(uid), { code, starMeansAny: true }).optional();

/** A list of words in any letter case; `what` and `plural` name them in the refusal. */
const words = <Word extends string>(
  code: ErrorCode,
  accepted: readonly Word[],
  what: string,
  plural: string,
) => {
  const fromText = (text: string): string => {
    const word = accepted.find((one) => one.toLowerCase() === text.toLowerCase());
    if (word !== undefined) return word;
    const list = accepted.map((one) => `\`${one}\``).join(', ');
    throw new RefusedText(
      `\`${text}\` is not a valid task ${what}. Available ${plural} are ${list}.`,
    );
  };
  const word = z.string() as unknown as z.ZodType<Word>;
  const list = z.array(withRules(word, { fromText }));
  return withRules(list, { code, starMeansAny: true }).optional();
};

const bound = (code: ErrorCode, side: 'after' | 'before') =>
  withRules(z.string().optional(), { code, fromText: (text) => readDateBound(text, side) });

const criteria = {
  batchUids: uids('invalid_batch_uids'),
  uids: uids('invalid_task_uids'),
  canceledBy: uids('invalid_task_canceled_by'),
  types: words('invalid_task_types', TASK_TYPES, 'type', 'types'),
  statuses: words('invalid_task_statuses', TASK_STATUSES, 'status', 'statuses'),
  indexUids: withRules(z.array(indexUid('invalid_index_uid')), {
    code: 'invalid_index_uid',
    starMeansAny: true,
  }).optional(),
  afterEnqueuedAt: bound('invalid_task_after_enqueued_at', 'after'),
  beforeEnqueuedAt: bound('invalid_task_before_enqueued_at', 'before'),
  afterStartedAt: bound('invalid_task_after_started_at', 'after'),
  beforeStartedAt: bound('invalid_task_before_started_at', 'before'),
  afterFinishedAt: bound('invalid_task_after_finished_at', 'after'),
  beforeFinishedAt: bound('invalid_task_before_finished_at', 'before'),
};

/** Query string of lists of tasks and of batches. */
export const taskListQuerySchema = z.strictObject({
  limit: withRules(uid, { code: 'invalid_task_limit' }).default(20),
  from: withRules(uid, { code: 'invalid_task_from' }).optional(),
  reverse: coded('invalid_task_reverse', z.boolean()).default(false),
  ...criteria,
});

const { batchUids, uids: taskUids, ...otherCriteria } = criteria;

/** Query string of the canceling and the deletion of tasks. */
export const taskSelectionQuerySchema = z.strictObject({
  uids: taskUids,
  batchUids,
  ...otherCriteria,
});
