import { LARGEST_UID } from '../tasks/task-filter-check.js';

/** The identifier of a task or a batch that a text spells out; `undefined` when it spells none. */
export function uidOf(text: string): number | undefined {
  return /^\+?\d+$/.test(text) && Number(text) <= LARGEST_UID ? Number(text) : undefined;
}
