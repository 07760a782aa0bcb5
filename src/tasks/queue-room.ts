import { PRODUCT_NAME } from '../config/product.js';
import { ApiError } from '../errors/api-error.js';
import type { Store } from '../native/store.js';
import type { TaskDraft } from './task-draft.js';
import { nUids } from './uid-ranges.js';

/** How large the store of tasks may become. */
const STORE_BYTES = 20 * 2 ** 30;
/** Bytes from which on the queue takes no more writes: finishing those it has needs room, too. */
export const DEFAULT_QUEUE_BYTES = 0.4 * STORE_BYTES;
/** What one task may take: a body that is kept inline, and a little more. */
const MOST_ROW_BYTES = 128 * 1024;
/** Tasks that are taken between two looks at the size: they are much smaller together than what is left then. */
const LOOK_EVERY = 200;

/**
 * Refuses writes when the tasks take too much room on disk. What makes room is taken all the same:
 * cancelations and deletions that match a task.
 */
export class QueueRoom {
  readonly #store: Store;
  /** Bytes from which on nothing more is taken. */
  readonly limit: number;
  #untilLook = 0;

  constructor(store: Store, limit = DEFAULT_QUEUE_BYTES) {
    this.#store = store;
    this.limit = limit;
  }

  /** Throws `no_space_left_on_device` when there is no room for the task. */
  async require(draft: TaskDraft): Promise<void> {
    if (makesRoom(draft)) return;
    this.#untilLook -= 1;
    if (this.#untilLook > 0) return;
    const { used } = await this.#store.sizes();
    // Once full, every write looks, so that it is noticed when there is room again.
    if (used >= this.limit) {
      this.#untilLook = 0;
      throw refusal();
    }
    this.#untilLook = Math.min(LOOK_EVERY, Math.ceil((this.limit - used) / MOST_ROW_BYTES));
  }
}

function makesRoom(draft: TaskDraft): boolean {
  const { type } = draft;
  return (type === 'taskCancelation' || type === 'taskDeletion') && nUids(draft.tasks) > 0;
}

function refusal(): ApiError {
  return new ApiError(
    'no_space_left_on_device',
    `${PRODUCT_NAME} cannot receive write operations because the limit of the task database has been reached. Please delete tasks to continue performing write operations.`,
  );
}
