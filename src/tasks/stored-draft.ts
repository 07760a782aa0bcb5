import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { TaskTexts } from '../native/store.js';
import { payloadFileOf } from './payload-file.js';
import type { TaskContent } from './queued-task.js';
import type { DeletionDraft, SettingsDraft, TaskDraft } from './task-draft.js';

/** Removes the file of a write that will not be carried out. */
export async function removePayload(draft: TaskDraft): Promise<void> {
  const where = payloadFileOf(draft);
  if (where !== undefined) await rm(where.file, { force: true }).catch(() => undefined);
}

/** The draft as it is stored: an inline payload apart, a payload file by its name. */
export function storedDraft(draft: TaskDraft): { content: TaskContent; payload: string | null } {
  if (draft.type === 'documentDeletion') return { content: storedDeletion(draft), payload: null };
  if (draft.type === 'settingsUpdate') return { content: storedSettings(draft), payload: null };
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

/**
 * A change of settings as JSON, written once: it may be long. What is shown of it is in the details
 * only, and is the same unless it has secrets.
 */
export function settingsTexts(draft: SettingsDraft): TaskTexts {
  if ('settingsIn' in draft) {
    const content = JSON.stringify(storedSettings(draft));
    return { details: draft.shownJson ?? '{}', content };
  }
  const { settings, shownSettings, ...rest } = draft;
  const text = JSON.stringify(settings);
  const isShown = shownSettings === undefined || shownSettings === settings;
  const details = isShown ? text : JSON.stringify(shownSettings);
  return { details, content: `${JSON.stringify(rest).slice(0, -1)},"settings":${text}}` };
}

function storedDeletion(draft: DeletionDraft): DeletionDraft {
  const { selection } = draft;
  if (selection === 'all' || !('idsIn' in selection)) return draft;
  const idsIn = { ...selection.idsIn, file: basename(selection.idsIn.file) };
  return { ...draft, selection: { ...selection, idsIn } };
}

function storedSettings(draft: SettingsDraft): SettingsDraft {
  if (!('settingsIn' in draft)) return draft;
  const { shownJson: _, settingsIn, ...rest } = draft;
  return { ...rest, settingsIn: { ...settingsIn, file: basename(settingsIn.file) } };
}
