import { rm } from 'node:fs/promises';
import type { DeletionSelection } from '../tasks/task-draft.js';
import { receiveDocuments } from './receive-documents.js';
import type { BodyReceiver } from './route.js';
import type { PayloadReader } from './services.js';

/** Documents to delete by their ids; many ids are in a file. */
export type ChosenByIds = Extract<DeletionSelection, { ids: unknown } | { idsIn: unknown }>;

/**
 * Takes a list of ids of any length without reading it here. Ids that are no strings are named by
 * their JSON.
 */
export function idReceiver(payloads: PayloadReader): BodyReceiver<ChosenByIds> {
  return {
    async receive(raw, limit) {
      const payload = await receiveDocuments(raw, limit, { format: 'ids' }, payloads);
      const { documents: providedIds, content } = payload;
      if ('file' in content) return { idsIn: content, providedIds };
      return { ids: JSON.parse(`[${content.inline.trimEnd().replaceAll('\n', ',')}]`) };
    },
    async discard(chosen) {
      if ('idsIn' in chosen) await rm(chosen.idsIn.file, { force: true });
    },
  };
}
