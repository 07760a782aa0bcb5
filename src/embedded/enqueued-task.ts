import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/codes.js';
import type { BatchProgress, Task, TaskSummary } from '../tasks/task.js';
import type { TaskDraft } from '../tasks/task-draft.js';
import type { TaskQueue } from '../tasks/task-queue.js';
import type { WaitLimits } from '../tasks/task-waiting.js';

/** How far a task is. */
export interface TaskProgress {
  status: 'enqueued' | 'processing' | 'finished';
  /** From 0 to 100, of the batch that the task is in. */
  percentage: number;
  /** Steps of that batch, from the outermost to the innermost. */
  steps: BatchProgress['steps'];
}

/** How to wait for a task. */
export interface WaitOptions extends WaitLimits {
  /** Told some times a second how far the task is, and once when it has ended. */
  onProgress?: ((progress: TaskProgress) => void) | undefined;
}

/** A write that was accepted; it is on disk, and done when `wait` resolves. */
export interface EnqueuedTask extends TaskSummary {
  /** Resolves to the succeeded task; throws a `TaskFailedError` when it failed or was canceled. */
  wait(options?: WaitOptions): Promise<Task>;
  /** Asks for the task to be canceled; what is done already stays. */
  cancel(): Promise<EnqueuedTask>;
}

/**
 * A task that failed or was canceled. `code` is that of its error; of a canceled one, which has none,
 * it is `internal`, and `task.status` tells.
 */
export class TaskFailedError extends ApiError {
  override readonly name = 'TaskFailedError';
  /** The task as it ended. */
  readonly task: Task;

  /** @internal */
  constructor(task: Task) {
    const code = (task.error?.code ?? 'internal') as ErrorCode;
    super(code, task.error?.message ?? `Task \`${task.uid}\` was canceled.`);
    this.task = task;
  }
}

/** Milliseconds between two reports of progress. */
const REPORT_MS = 100;

/** Enqueues a write and gives its acknowledgement what waits for it. @internal */
export async function enqueueAndWait(tasks: TaskQueue, draft: TaskDraft): Promise<EnqueuedTask> {
  return enqueuedTask(tasks, await tasks.enqueue(draft));
}

function enqueuedTask(tasks: TaskQueue, summary: TaskSummary): EnqueuedTask {
  const { taskUid } = summary;
  return {
    ...summary,
    wait: (options) => waitForSuccess(tasks, taskUid, options),
    cancel: async () => enqueuedTask(tasks, await tasks.cancel({ uids: [taskUid] })),
  };
}

async function waitForSuccess(
  tasks: TaskQueue,
  uid: number,
  { onProgress, ...options }: WaitOptions = {},
): Promise<Task> {
  const reports = onProgress === undefined ? undefined : reportTo(onProgress, tasks, uid);
  try {
    const ended = tasks.waitFor(uid, options);
    const task = await (reports === undefined ? ended : Promise.race([ended, reports.failed]));
    if (task.status !== 'succeeded') throw new TaskFailedError(task);
    onProgress?.({ status: 'finished', percentage: 100, steps: [] });
    return task;
  } finally {
    reports?.stop();
  }
}

/** Tells how far a task is until it is stopped; what a report throws ends the waiting. */
function reportTo(
  report: (progress: TaskProgress) => void,
  tasks: TaskQueue,
  uid: number,
): { readonly failed: Promise<never>; readonly stop: () => void } {
  let fail: (reason: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const timer = setInterval(() => {
    const progress = tasks.progressOf(uid);
    try {
      if (progress === undefined) report({ status: 'enqueued', percentage: 0, steps: [] });
      else report({ status: 'processing', ...progress });
    } catch (error) {
      fail(error);
    }
  }, REPORT_MS);
  timer.unref();
  return { failed, stop: () => clearInterval(timer) };
}
