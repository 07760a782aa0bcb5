import type { TagNotes } from '../route-notes.js';
import { documentNotes } from './documents.js';
import { chatNotes, ruleNotes, webhookNotes } from './further.js';
import { indexNotes } from './indexes.js';
import { instanceNotes } from './instance.js';
import { keyNotes } from './keys.js';
import { searchNotes } from './searches.js';
import { settingsNotes } from './settings.js';
import { taskNotes } from './tasks.js';

/** The notes of every route, in the order in which readers want them. */
export const ALL_NOTES: readonly TagNotes[] = [
  searchNotes,
  documentNotes,
  indexNotes,
  settingsNotes,
  taskNotes,
  keyNotes,
  webhookNotes,
  chatNotes,
  ruleNotes,
  instanceNotes,
];
