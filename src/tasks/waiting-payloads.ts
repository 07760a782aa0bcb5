import type { Store } from '../native/store.js';
import type { TaskContent } from './queued-task.js';

/** How many waiting tasks are read at once. */
const PAGE = 10_000;

/** The names of the payload files that tasks in the store wait with. */
export async function waitingPayloads(store: Store): Promise<Set<string>> {
  const names = new Set<string>();
  for (let after: number | null = null; ; ) {
    const page: Awaited<ReturnType<Store['queuedTasks']>> = await store.queuedTasks(after, PAGE);
    for (const { content } of page) {
      const task = content as TaskContent | null;
      if (task?.type !== 'documentAdditionOrUpdate') continue;
      if ('file' in task.payload.content) names.add(task.payload.content.file);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return names;
    after = last.uid;
  }
}
