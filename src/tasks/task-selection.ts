import type { RunnableTask, TaskOutcome, UidRanges } from '../native/store.js';
import { type BatchContext, contentOf } from './batch-context.js';
import { type BatchEnd, succeeded } from './batch-end.js';
import { failedDetails } from './task-details.js';
import type { TaskSelectionDraft } from './task-draft.js';
import { holdsUid, nUids, uniteRanges } from './uid-ranges.js';

/** Cancels the chosen tasks that still wait. */
export async function cancelTasks(task: RunnableTask, context: BatchContext): Promise<BatchEnd> {
  const { tasks: chosen } = contentOf(task) as TaskSelectionDraft;
  // An upgrade cannot be given up: the data would be of neither version.
  const uids = [...context.pending.all()]
    .filter(({ type }) => type !== 'upgradeDatabase')
    .map(({ uid }) => uid)
    .filter((uid) => uid !== task.uid && holdsUid(chosen, uid));
  const waiting = await context.store.endableTasks(uids);
  const canceled = waiting.map(
    ({ uid, details }): TaskOutcome => ({
      uid,
      status: 'canceled',
      details: failedDetails(details),
      canceledBy: task.uid,
    }),
  );
  const own = succeeded(task, { canceledTasks: canceled.length });
  return { outcomes: [...canceled, own], registry: [] };
}

/** Forgets the chosen tasks that have ended; each is counted by the first deletion that chose it. */
export async function deleteTasks(
  tasks: readonly RunnableTask[],
  context: BatchContext,
): Promise<BatchEnd> {
  let forgotten: UidRanges = [];
  const outcomes: TaskOutcome[] = [];
  for (const task of tasks) {
    const { tasks: chosen } = contentOf(task) as TaskSelectionDraft;
    const ended = await context.store.matchingTasks({
      statuses: ['succeeded', 'failed', 'canceled'],
      uidRanges: chosen,
    });
    const all = uniteRanges([forgotten, ended]);
    outcomes.push(succeeded(task, { deletedTasks: nUids(all) - nUids(forgotten) }));
    forgotten = all;
  }
  return { outcomes, registry: [], forgottenTasks: forgotten };
}
