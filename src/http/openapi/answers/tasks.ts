import * as z from 'zod';
import { TASK_STATUSES, TASK_TYPES } from '../../../tasks/task.js';
import { count, duration, errorSchema, moment } from './basics.js';

const status = z.enum(TASK_STATUSES);
const type = z.enum(TASK_TYPES);

/** The acknowledgement of a write. */
export const taskSummary = z
  .object({
    taskUid: count,
    indexUid: z.string().nullable(),
    status,
    type,
    enqueuedAt: moment,
    customMetadata: z.string().optional(),
  })
  .meta({
    id: 'TaskSummary',
    description: 'A write that was taken; follow it at /tasks/{taskUid}',
  });

/** A task. */
export const task = z
  .object({
    uid: count.meta({ description: 'The number of the task, from 0' }),
    batchUid: count.nullable().meta({ description: 'The batch in which it is done' }),
    indexUid: z.string().nullable(),
    status,
    type,
    canceledBy: count.nullable().meta({ description: 'The task that canceled it' }),
    details: z.looseObject({}).optional(),
    error: errorSchema.nullable(),
    duration,
    enqueuedAt: moment,
    startedAt: moment.nullable(),
    finishedAt: moment.nullable(),
    network: z.looseObject({}).optional(),
    customMetadata: z.string().optional(),
  })
  .meta({ id: 'Task' });

const step = z.object({ currentStep: z.string(), finished: count, total: count });
const counts = z.record(z.string(), count);

/** Tasks that were run together. */
export const batch = z
  .object({
    uid: count.meta({ description: 'The number of the batch, from 0' }),
    progress: z.object({ steps: z.array(step), percentage: z.number() }).nullable(),
    details: z.looseObject({}),
    stats: z.object({
      totalNbTasks: count,
      status: counts,
      types: counts,
      indexUids: counts,
      progressTrace: z.record(z.string(), z.string()).optional(),
      writeChannelCongestion: z.looseObject({}).optional(),
      internalDatabaseSizes: z.looseObject({}).optional(),
      embedderRequests: z.looseObject({}).optional(),
    }),
    duration,
    startedAt: moment,
    finishedAt: moment.nullable(),
    batchStrategy: z.string(),
  })
  .meta({ id: 'Batch' });

/** A part of the list of tasks or batches, newest first. */
export const uidPageOf = (result: z.ZodType) =>
  z.object({
    results: z.array(result),
    total: count,
    limit: count,
    from: count.nullable(),
    next: count.nullable(),
  });

/** A task as the earlier shape shows it. */
export const update = z
  .object({
    status: z.enum(['enqueued', 'processed']),
    updateId: count,
    type: z.looseObject({ name: z.string() }),
    duration: z.number().optional(),
    enqueuedAt: moment,
    processedAt: moment.optional(),
    error: errorSchema.optional(),
  })
  .meta({ id: 'Update' });

/** The acknowledgement of a write in the earlier shape. */
export const updateSummary = z.object({ updateId: count }).meta({ id: 'UpdateSummary' });

/** What the compaction of the queue of tasks did. */
export const compaction = z.object({
  preSize: z.string(),
  postSize: z.string(),
  status: z.literal('succeeded'),
  actionRequired: z.string(),
});

/** Why the compaction of the queue of tasks failed. */
export const failedCompaction = z.object({ status: z.literal('failed'), errorMessage: z.string() });
