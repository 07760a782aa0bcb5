import type { TaskDraft } from './task-draft.js';

/** A file that holds what is too large for the row of a task; its checksum, where it is known. */
export interface PayloadFile {
  readonly file: string;
  readonly crc32?: number | undefined;
}

/** The file that a task waits with: documents to add, the ids of those to delete, or settings. */
export function payloadFileOf(draft: TaskDraft): PayloadFile | undefined {
  if (draft.type === 'documentDeletion') {
    const { selection } = draft;
    return typeof selection === 'object' && 'idsIn' in selection ? selection.idsIn : undefined;
  }
  if (draft.type === 'settingsUpdate') {
    return 'settingsIn' in draft ? draft.settingsIn : undefined;
  }
  if (draft.type !== 'documentAdditionOrUpdate') return undefined;
  const { content } = draft.payload;
  return 'file' in content ? content : undefined;
}
