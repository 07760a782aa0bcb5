import type { IndexFacts } from './next-batch.js';
import type { QueuedTask } from './queued-task.js';

/** What a batch on one index is so far. */
export type AutobatchKind =
  | 'documents'
  | 'deletions'
  | 'deletionsWithFilter'
  | 'clear'
  | 'settings'
  | 'clearAndSettings';

/** A batch on one index so far. */
export interface AutobatchState {
  readonly kind: AutobatchKind;
  /** The key its imports name; null: the first import guesses it; undefined: it has no import. */
  readonly primaryKey: string | null | undefined;
  /** Whether it creates a missing index; null when it holds nothing that could. */
  readonly mayCreateIndex: boolean | null;
}

/** Why a batch ends before, or with, a task. */
export type StopReason =
  | {
      readonly kind:
        | 'alone'
        | 'indexDeletion'
        | 'guessedKey'
        | 'indexCreation'
        | 'settingsAfterDocuments'
        | 'deletionByFilter'
        | 'documentsAfterSettings';
      readonly task: QueuedTask;
    }
  | {
      readonly kind: 'indexKeyMismatch' | 'batchKeyMismatch';
      readonly task: QueuedTask;
      readonly key: string;
    };

/** What becomes of the batch with the next task. */
export type AutobatchStep =
  | { readonly take: true; readonly state: AutobatchState; readonly stop?: undefined }
  | { readonly take: boolean; readonly state?: undefined; readonly stop: StopReason };

/** The batch that the first task opens. */
export function firstState(task: QueuedTask, facts: IndexFacts): AutobatchStep {
  if (task.role === 'alone') return { take: true, stop: { kind: 'alone', task } };
  if (task.role === 'indexDeletion') return { take: true, stop: { kind: 'indexDeletion', task } };
  const mismatch = indexKeyMismatch(task, facts);
  if (mismatch !== undefined) return { take: true, stop: mismatch };
  const primaryKey = task.role === 'import' ? task.primaryKey : undefined;
  const { mayCreateIndex } = task;
  return { take: true, state: { kind: OPENED_BY[task.role], primaryKey, mayCreateIndex } };
}

const OPENED_BY = {
  import: 'documents',
  deletionByIds: 'deletions',
  deletionByFilter: 'deletionsWithFilter',
  clear: 'clear',
  settings: 'settings',
} as const;

/** The batch after the next task: joined by it, or stopped before or after it. */
export function joined(state: AutobatchState, task: QueuedTask, facts: IndexFacts): AutobatchStep {
  if (task.role === 'alone') return stop({ kind: 'alone', task });
  const mismatch = keyMismatch(state, task, facts);
  if (mismatch !== undefined) return stop(mismatch);
  if (!facts.exists && state.mayCreateIndex === false && task.mayCreateIndex === true) {
    return stop({ kind: 'indexCreation', task });
  }
  if (task.role === 'indexDeletion') return { take: true, stop: { kind: 'indexDeletion', task } };
  const next = nextKind(state, task, facts);
  return typeof next === 'string' ? { take: true, state: withTask(state, next, task) } : stop(next);
}

function stop(reason: StopReason): AutobatchStep {
  return { take: false, stop: reason };
}

function withTask(state: AutobatchState, kind: AutobatchKind, task: QueuedTask): AutobatchState {
  const isImport = task.role === 'import';
  const primaryKey = isImport ? (task.primaryKey ?? state.primaryKey ?? null) : state.primaryKey;
  return { kind, primaryKey, mayCreateIndex: state.mayCreateIndex ?? task.mayCreateIndex };
}

function indexKeyMismatch(task: QueuedTask, facts: IndexFacts): StopReason | undefined {
  if (task.primaryKey === null || facts.primaryKey === null) return undefined;
  if (task.primaryKey === facts.primaryKey) return undefined;
  return { kind: 'indexKeyMismatch', task, key: facts.primaryKey };
}

function keyMismatch(
  state: AutobatchState,
  task: QueuedTask,
  facts: IndexFacts,
): StopReason | undefined {
  if (task.primaryKey === null) return undefined;
  if (facts.primaryKey !== null) return indexKeyMismatch(task, facts);
  if (state.primaryKey === null) return { kind: 'guessedKey', task };
  if (state.primaryKey === undefined || state.primaryKey === task.primaryKey) return undefined;
  return { kind: 'batchKeyMismatch', task, key: state.primaryKey };
}

/** What the batch becomes with a task on documents or settings, or why it stops. */
function nextKind(
  state: AutobatchState,
  task: QueuedTask,
  facts: IndexFacts,
): AutobatchKind | StopReason {
  switch (state.kind) {
    case 'documents':
      if (task.role === 'clear') return 'clear';
      if (task.role === 'settings') return { kind: 'settingsAfterDocuments', task };
      if (task.role === 'deletionByFilter') return { kind: 'deletionByFilter', task };
      return 'documents';
    case 'deletions':
    case 'deletionsWithFilter':
      return afterDeletions(state.kind, task, facts);
    case 'clear':
      if (task.role === 'settings') return { kind: 'settingsAfterDocuments', task };
      if (task.role === 'import') return { kind: 'documentsAfterSettings', task };
      return 'clear';
    case 'settings':
      if (task.role === 'settings') return 'settings';
      if (task.role === 'clear') return 'clearAndSettings';
      return { kind: 'documentsAfterSettings', task };
    case 'clearAndSettings':
      if (task.role === 'import') return { kind: 'documentsAfterSettings', task };
      return 'clearAndSettings';
  }
}

function afterDeletions(
  kind: 'deletions' | 'deletionsWithFilter',
  task: QueuedTask,
  facts: IndexFacts,
): AutobatchKind | StopReason {
  switch (task.role) {
    case 'clear':
      return 'clear';
    case 'settings':
      return { kind: 'settingsAfterDocuments', task };
    case 'import': {
      const creates = !facts.exists && task.mayCreateIndex === true;
      const joins = kind === 'deletionsWithFilter' || !creates;
      return joins ? 'documents' : { kind: 'indexCreation', task };
    }
    case 'deletionByFilter':
      return 'deletionsWithFilter';
    default:
      return kind;
  }
}
