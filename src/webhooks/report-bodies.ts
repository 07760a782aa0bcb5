import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { Page, Task } from '../tasks/task.js';
import type { TaskFilter } from '../tasks/task-filter.js';

/** Tasks read at once. */
const PAGE = 1000;

/** Where the tasks of a batch are read. */
export interface TaskList {
  list(filter: TaskFilter): Promise<Page<Task>>;
}

/** What is said of batches: made once for a batch, however many are told and however often. */
export class ReportBodies {
  readonly #tasks: TaskList;
  readonly #bodies = new Map<number, { readonly body: Promise<Buffer>; nUsers: number }>();

  constructor(tasks: TaskList) {
    this.#tasks = tasks;
  }

  /** Gives the report of a batch, which is kept as long as somebody uses it. */
  async use<T>(batchUid: number, send: (body: Buffer) => Promise<T>): Promise<T> {
    const kept = this.#bodies.get(batchUid) ?? { body: reportOf(this.#tasks, batchUid), nUsers: 0 };
    this.#bodies.set(batchUid, kept);
    kept.nUsers += 1;
    try {
      return await send(await kept.body);
    } finally {
      kept.nUsers -= 1;
      if (kept.nUsers === 0) this.#bodies.delete(batchUid);
    }
  }
}

/** The tasks of a batch as NDJSON, compressed; empty when they were all forgotten. */
async function reportOf(tasks: TaskList, batchUid: number): Promise<Buffer> {
  let nTasks = 0;
  async function* lines(): AsyncGenerator<string> {
    for (let from: number | null | undefined; from !== null; ) {
      const page = await tasks.list({ batchUids: [batchUid], limit: PAGE, reverse: true, from });
      nTasks += page.results.length;
      yield page.results.map((task) => `${JSON.stringify(task)}\n`).join('');
      from = page.next;
    }
  }
  // What fails in reading ends the compression, which is what is waited for.
  const body = await buffer(pipeline(Readable.from(lines()), createGzip(), () => undefined));
  return nTasks === 0 ? Buffer.alloc(0) : body;
}
