import type { StoredQueuedTask } from '../native/store.js';
import { payloadFileOf } from './payload-file.js';
import type { TaskType } from './task.js';
import type { SettingsDraft, TaskDraft } from './task-draft.js';

/** How a task takes part in a batch of one index. */
export type BatchRole =
  | 'import'
  | 'deletionByIds'
  | 'deletionByFilter'
  | 'clear'
  | 'settings'
  | 'indexDeletion'
  /** Never shares a batch by index: editions, index creation, update, swap, and global tasks. */
  | 'alone';

/** What the choice of a batch needs to know of a task that waits. */
export interface QueuedTask {
  readonly uid: number;
  readonly type: TaskType;
  readonly role: BatchRole;
  /** The index it acts on. */
  readonly indexUid: string | null;
  /** Every index whose tasks must not overtake it, nor be overtaken by it. */
  readonly mentions: readonly string[];
  /** The primary key that an import names. */
  readonly primaryKey: string | null;
  /** Whether it creates a missing index; null when that is not its business. */
  readonly mayCreateIndex: boolean | null;
  readonly payloadBytes: number;
  /** At most so many characters of it are held as text while it is run: all but what is in a file. */
  readonly textLength: number;
  /** Name of the file that holds its documents, their ids, or its settings, if they are in one. */
  readonly payloadFile?: string;
  /** The settings that it changes. */
  readonly settingNames?: readonly string[];
}

/** What is kept of a draft in the store, besides an inline payload. */
export type TaskContent = TaskDraft & { readonly payloadBytes?: number };

/** The facts of a task that the store holds. */
export function queuedTask(stored: StoredQueuedTask): QueuedTask {
  return queuedDraft(stored.uid, stored.content as TaskContent, {
    type: stored.type as TaskType,
  });
}

/** What is known of a draft without looking into it. */
interface KnownOfDraft {
  readonly type?: TaskType;
  /** Its JSON. */
  readonly text?: string | undefined;
}

/** The facts of a draft that was enqueued under a uid. */
export function queuedDraft(
  uid: number,
  draft: TaskContent | null,
  { type = draft?.type as TaskType, text }: KnownOfDraft = {},
): QueuedTask {
  const imports = draft?.type === 'documentAdditionOrUpdate';
  const where = draft === null ? undefined : payloadFileOf(draft);
  const mayCreate = imports || draft?.type === 'settingsUpdate';
  return {
    uid,
    type,
    role: draft === null ? 'alone' : roleOf(draft),
    indexUid: draft !== null && 'indexUid' in draft ? draft.indexUid : null,
    mentions: draft === null ? [] : mentionsOf(draft),
    primaryKey: imports ? draft.primaryKey : null,
    mayCreateIndex: mayCreate ? draft.mayCreateIndex : null,
    payloadBytes: draft?.payloadBytes ?? 0,
    textLength: draft === null ? 0 : (text?.length ?? textLengthOf(draft)),
    ...(where === undefined ? {} : { payloadFile: where.file }),
    ...(draft?.type === 'settingsUpdate' ? { settingNames: settingNamesOf(draft) } : {}),
  };
}

function settingNamesOf(draft: SettingsDraft): readonly string[] {
  return 'settingsIn' in draft ? draft.settingNames : Object.keys(draft.settings);
}

/** Every index a draft mentions. */
export function mentionsOf(draft: TaskDraft): string[] {
  if (draft.type === 'indexSwap') return draft.swaps.flatMap(({ indexes }) => [...indexes]);
  if (draft.type === 'indexUpdate' && draft.newIndexUid !== undefined) {
    return [...new Set([draft.indexUid, draft.newIndexUid])];
  }
  return 'indexUid' in draft ? [draft.indexUid] : [];
}

/** Of tasks that never share a batch it does not matter. */
function textLengthOf(draft: TaskContent): number {
  switch (draft.type) {
    case 'documentAdditionOrUpdate':
      return 'inline' in draft.payload.content ? (draft.payloadBytes ?? 0) : 0;
    case 'documentDeletion': {
      const { selection } = draft;
      if (selection === 'all' || 'idsIn' in selection) return 0;
      return 'ids' in selection
        ? selection.ids.reduce((sum, id) => sum + id.length, 0)
        : JSON.stringify(selection.filter).length;
    }
    case 'settingsUpdate':
      return 'settingsIn' in draft ? 0 : JSON.stringify(draft.settings).length;
    default:
      return 0;
  }
}

function roleOf(draft: TaskDraft): BatchRole {
  switch (draft.type) {
    case 'documentAdditionOrUpdate':
      return 'import';
    case 'documentDeletion':
      if (draft.selection === 'all') return 'clear';
      return 'filter' in draft.selection ? 'deletionByFilter' : 'deletionByIds';
    case 'settingsUpdate':
      return 'settings';
    case 'indexDeletion':
      return 'indexDeletion';
    default:
      return 'alone';
  }
}
