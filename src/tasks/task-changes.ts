import { type ChangeInterest, ChangeListeners } from './change-listeners.js';
import type { ChangeStream } from './change-stream.js';
import { isFinished, type Page, type Task } from './task.js';
import type { TaskEvent, TaskEvents } from './task-events.js';
import type { TaskFilter } from './task-filter.js';
import { taskView } from './task-view.js';

/** Tasks read at once. */
const PAGE = 500;
/** Waiting tasks that are remembered, so that their start need not be read. */
const MAX_REMEMBERED = 10_000;

/** What changes of tasks are read from. */
export interface TaskChangesParts {
  readonly events: TaskEvents;
  readonly list: (filter: TaskFilter) => Promise<Page<Task>>;
}

/** Tells listeners of tasks each time their status changes; costs nothing while nobody listens. */
export class TaskChanges {
  readonly #parts: TaskChangesParts;
  readonly #listeners = new ChangeListeners<Task>(() => this.#watch());
  readonly #waiting = new Map<number, Task>();
  /** Reads one after another, so that each task keeps the order of its states. */
  #reading: Promise<void> = Promise.resolve();

  constructor(parts: TaskChangesParts) {
    this.#parts = parts;
  }

  /** The states of tasks from now on. */
  follow(interest: ChangeInterest<Task>): ChangeStream {
    return this.#listeners.follow(interest);
  }

  /** Ends every stream. */
  end(): void {
    this.#listeners.end();
  }

  #watch(): () => void {
    const unsubscribe = this.#parts.events.subscribe((event) => this.#tell(event));
    return () => {
      unsubscribe();
      this.#waiting.clear();
    };
  }

  #tell(event: TaskEvent): void {
    switch (event.kind) {
      case 'enqueued':
        this.#enqueued(event.tasks.map(taskView));
        return;
      case 'started':
        this.#started(event);
        return;
      case 'stalled':
        return;
      default:
        for (const uid of event.taskUids) this.#waiting.delete(uid);
        this.#read(event.taskUids, () => true);
    }
  }

  #enqueued(tasks: readonly Task[]): void {
    for (const task of tasks) {
      if (hasLongDetails(task)) {
        this.#publishWhole(task);
        continue;
      }
      this.#publish(task);
      if (this.#waiting.size < MAX_REMEMBERED) this.#waiting.set(task.uid, task);
    }
  }

  /** Tells of a task whose details are not at hand; it may have gone on while they are read. */
  #publishWhole(enqueued: Task): void {
    this.#inTurn(async () => {
      const { results } = await this.#parts.list({ uids: [enqueued.uid] });
      for (const whole of results) this.#listeners.publish({ ...whole, ...enqueued });
    });
  }

  /** A start is told of from memory: a short batch would have ended before it could be read. */
  #started({ batchUid, startedAt, taskUids }: Extract<TaskEvent, { kind: 'started' }>): void {
    const unknown = taskUids.filter((uid) => !this.#waiting.has(uid));
    for (const uid of taskUids) {
      const task = this.#waiting.get(uid);
      if (task !== undefined) {
        this.#publish({ ...task, batchUid, status: 'processing', startedAt });
      }
    }
    // One that has ended meanwhile is told of by its end.
    this.#read(unknown, ({ status }) => !isFinished(status));
  }

  #publish(task: Task): void {
    this.#inTurn(async () => this.#listeners.publish(task));
  }

  #read(uids: readonly number[], isNews: (task: Task) => boolean): void {
    for (let at = 0; at < uids.length; at += PAGE) {
      const page = uids.slice(at, at + PAGE);
      this.#inTurn(async () => {
        const { results } = await this.#parts.list({ uids: page, limit: PAGE, reverse: true });
        for (const task of results.filter(isNews)) this.#listeners.publish(task);
      });
    }
  }

  #inTurn(work: () => Promise<void>): void {
    // What cannot be read is not told of; the next change is.
    this.#reading = this.#reading.then(work).catch(() => undefined);
  }
}

/** Whether a task that was just enqueued has details that its row alone holds. */
function hasLongDetails({ type, details }: Task): boolean {
  return type === 'settingsUpdate' && details === undefined;
}
