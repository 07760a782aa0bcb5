import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { TaskContent } from './queued-task.js';
import type { TaskDraft } from './task-draft.js';

/** Removes the file of documents that will not be added. */
export async function removePayload(draft: TaskDraft): Promise<void> {
  if (draft.type !== 'documentAdditionOrUpdate') return;
  const { content } = draft.payload;
  if ('file' in content) await rm(content.file, { force: true }).catch(() => undefined);
}

/** The draft as it is stored: an inline payload apart, a payload file by its name. */
export function storedDraft(draft: TaskDraft): { content: TaskContent; payload: string | null } {
  if (draft.type !== 'documentAdditionOrUpdate') return { content: draft, payload: null };
  const { documents, content: where } = draft.payload;
  const inline = 'inline' in where;
  const payloadBytes = inline ? Buffer.byteLength(where.inline) : (draft.payload.bytes ?? 0);
  const content = inline ? { inline: '' } : { ...where, file: basename(where.file) };
  return {
    content: { ...draft, payload: { documents, content }, payloadBytes },
    payload: inline ? where.inline : null,
  };
}
