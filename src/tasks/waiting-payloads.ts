import type { Store } from '../native/store.js';
import { payloadFileOf } from './payload-file.js';
import type { TaskContent } from './queued-task.js';

/** How many waiting tasks are read at once at the most. */
const PAGE = 10_000;

/** The payload files that tasks in the store wait with: their names and, where known, CRC-32. */
export async function waitingPayloads(store: Store): Promise<Map<string, number | undefined>> {
  const names = new Map<string, number | undefined>();
  for await (const page of store.queuedPages(PAGE)) {
    for (const { content } of page) {
      const task = content as TaskContent | null;
      const where = task === null ? undefined : payloadFileOf(task);
      if (where !== undefined) names.set(where.file, where.crc32);
    }
  }
  return names;
}
