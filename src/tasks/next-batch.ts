import { type AutobatchState, firstState, joined, type StopReason } from './autobatch.js';
import type { QueueView } from './pending-queue.js';
import type { QueuedTask } from './queued-task.js';
import type { TaskType } from './task.js';

/** The tasks to run together, and why these. */
export interface NextBatch {
  /** `index`: operations on one index, in order. `tasks`: whole tasks of one type. */
  readonly kind: 'index' | 'tasks';
  readonly type: TaskType;
  /** The index of an `index` batch. */
  readonly indexUid: string | null;
  readonly tasks: readonly QueuedTask[];
  readonly strategy: string;
}

/** What is known of an index when a batch is chosen. */
export interface IndexFacts {
  readonly exists: boolean;
  readonly primaryKey: string | null;
}

/** Bounds of one batch. */
export interface BatchLimits {
  /** 0 turns the queue off, 1 turns batching off. */
  readonly maxTasks: number;
  /** Payload bytes; the first task is taken whatever its size. */
  readonly maxBytes: number;
}

/**
 * Characters of tasks that are held as text in one batch; the first task is taken whatever its size.
 * They become one text of JSON, twice, which may be no longer than half a billion characters.
 */
const MAX_TEXT_LENGTH = 64 * 2 ** 20;

const TOGETHER: readonly TaskType[] = ['taskDeletion', 'snapshotCreation'];

/** Types that go before the rest of the queue, in this order; newest cancelation first of all. */
const PRIORITY: readonly TaskType[] = [
  'upgradeDatabase',
  'networkTopologyChange',
  'taskDeletion',
  'indexCompaction',
  'export',
  'snapshotCreation',
  'dumpCreation',
];

/** The batch to run next; `undefined` when nothing waits. Looks only at its arguments. */
export function nextBatch(
  queue: QueueView,
  factsOf: (indexUid: string) => IndexFacts,
  limits: BatchLimits,
): NextBatch | undefined {
  if (limits.maxTasks === 0) return undefined;
  return priorityBatch(queue) ?? oldestBatch(queue, factsOf, limits);
}

function priorityBatch(queue: QueueView): NextBatch | undefined {
  const cancelation = [...queue.ofType('taskCancelation')].at(-1);
  if (cancelation !== undefined) return alone(cancelation);
  for (const type of PRIORITY) {
    const tasks = [...queue.ofType(type)];
    const [first] = tasks;
    if (first === undefined) continue;
    return TOGETHER.includes(type) || type === 'upgradeDatabase'
      ? together(type, tasks)
      : alone(first);
  }
  return undefined;
}

function alone(task: QueuedTask): NextBatch {
  const strategy = onlyText(task);
  return { kind: 'tasks', type: task.type, indexUid: task.indexUid, tasks: [task], strategy };
}

function onlyText({ uid, type }: QueuedTask): string {
  return `created batch containing only task with id ${uid} of type \`${type}\` that cannot be batched with any other task.`;
}

function together(type: TaskType, tasks: readonly QueuedTask[]): NextBatch {
  const strategy = `stopped after the last task of type \`${type}\` because they cannot be batched with tasks of any other type.`;
  return { kind: 'tasks', type, indexUid: null, tasks, strategy };
}

function oldestBatch(
  queue: QueueView,
  factsOf: (indexUid: string) => IndexFacts,
  limits: BatchLimits,
): NextBatch | undefined {
  const first = queue.oldest();
  if (first === undefined) return undefined;
  if (first.role === 'alone' || first.indexUid === null) return alone(first);
  const { indexUid } = first;
  const { tasks, strategy } = indexBatch(queue, indexUid, factsOf(indexUid), limits);
  return { kind: 'index', type: first.type, indexUid, tasks, strategy };
}

interface Chosen {
  readonly tasks: readonly QueuedTask[];
  readonly strategy: string;
}

/** Takes tasks of one index as long as each may join the ones before it. */
function indexBatch(
  queue: QueueView,
  indexUid: string,
  facts: IndexFacts,
  limits: BatchLimits,
): Chosen {
  const tasks: QueuedTask[] = [];
  let bytes = 0;
  let textLength = 0;
  let state: AutobatchState | undefined;
  for (const task of queue.ofIndex(indexUid)) {
    if (tasks.length >= limits.maxTasks) {
      return {
        tasks,
        strategy: `batched up to configured batch limit of ${limits.maxTasks} tasks`,
      };
    }
    if (state !== undefined && bytes + task.payloadBytes > limits.maxBytes) {
      return { tasks, strategy: sizeText(limits.maxBytes, bytes) };
    }
    if (state !== undefined && textLength + task.textLength > MAX_TEXT_LENGTH) {
      return { tasks, strategy: memoryText(textLength) };
    }
    const step = state === undefined ? firstState(task, facts) : joined(state, task, facts);
    if (step.take) {
      tasks.push(task);
      bytes += task.payloadBytes;
      textLength += task.textLength;
    }
    if (step.stop !== undefined) return { tasks, strategy: stopText(step.stop) };
    state = step.state;
  }
  if (tasks.length === queue.size) return { tasks, strategy: 'batched all enqueued tasks' };
  return { tasks, strategy: `batched all enqueued tasks for index \`${indexUid}\`` };
}

function sizeText(maxBytes: number, bytes: number): string {
  return `batched up to configured batch size limit of ${maxBytes}B with a total of ${bytes}B`;
}

function memoryText(length: number): string {
  return `batched up to the limit of ${MAX_TEXT_LENGTH}B of small tasks in memory with a total of ${length}B`;
}

/** The text of the batch for each reason to stop. */
function stopText(reason: StopReason): string {
  const before = `task with id ${reason.task.uid} because`;
  switch (reason.kind) {
    case 'alone':
      return onlyText(reason.task);
    case 'indexDeletion':
      return `stopped after ${before} it deletes the index`;
    case 'indexKeyMismatch':
      return `stopped batching before ${before} its primary key \`${reason.task.primaryKey}\` is different from the primary key of the index \`${reason.key}\``;
    case 'batchKeyMismatch':
      return `stopped batching before ${before} its primary key \`${reason.task.primaryKey}\` is different from the primary key of the batch \`${reason.key}\``;
    case 'guessedKey':
      return `stopped batching before ${before} it is setting the \`${reason.task.primaryKey}\` primary key and it would interfere with primary key guessing of the batch`;
    case 'indexCreation':
      return `stopped batching before ${before} its index creation rules differ from the ones from the batch`;
    case 'settingsAfterDocuments':
      return `stopped before ${before} it is a settings change which cannot be batched with document operations`;
    case 'deletionByFilter':
      return `stopped before ${before} it is a deletion by filter which cannot be batched with document operations`;
    case 'documentsAfterSettings':
      return `stopped before ${before} it is a document operation which cannot be batched with settings changes`;
  }
}
