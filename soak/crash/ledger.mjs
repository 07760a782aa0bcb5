// The model of what a server has to hold: it grows by each task as the task ended.
import { setTimeout as delay } from 'node:timers/promises';

const PAGE = 1_000;
const LONGEST_QUEUE_MS = 120_000;

/**
 * @typedef {import('../../bench/target.mjs').Target} Target
 * @typedef {import('./operations.mjs').Model} Model
 * @typedef {import('./operations.mjs').Operation} Operation
 * @typedef {{uid: number, status: string, canceledBy: number | null, error: {code: string, message: string} | null}} Task
 */

/** @param {Target} server */
async function queueEmpty(server) {
  for (const end = Date.now() + LONGEST_QUEUE_MS; Date.now() < end; await delay(10)) {
    const { total } = await server.call('GET', '/tasks?limit=1&statuses=enqueued,processing');
    if (total === 0) return;
  }
  throw new Error('a task never ends');
}

/**
 * @param {Target} server
 * @returns {Promise<Task[]>} by their numbers
 */
async function allTasks(server) {
  const tasks = [];
  for (let from = 0; ; from += PAGE) {
    const { results, total } = await server.call(
      'GET',
      `/tasks?reverse=true&limit=${PAGE}&from=${from}`,
    );
    tasks.push(...results);
    if (tasks.length >= total) return tasks;
  }
}

export class Ledger {
  /** @type {Model} */
  model = new Map();
  /** @type {string[]} how the tasks of the model ended */
  #ends = [];

  /**
   * Waits for all tasks and adds those that are new to the model; what is wrong with them.
   * @param {Target} server
   * @param {Operation[]} operations by number of the task
   * @param {readonly string[]} codes with which a task may fail
   */
  async add(server, operations, codes) {
    await queueEmpty(server);
    const found = [];
    for (const task of await allTasks(server)) {
      const before = this.#ends[task.uid];
      if (before !== undefined) {
        if (before !== task.status) found.push(`task ${task.uid} was ${before}, is ${task.status}`);
        continue;
      }
      this.#ends.push(task.status);
      const wrong = this.#apply(task, operations, codes);
      if (wrong !== undefined) found.push(`task ${task.uid}: ${wrong}`);
    }
    return found;
  }

  /**
   * @param {Task} task
   * @param {Operation[]} operations
   * @param {readonly string[]} codes
   */
  #apply({ uid, status, canceledBy, error }, operations, codes) {
    const operation = operations[uid];
    if (operation === undefined) return 'was never sent';
    if (status === 'canceled') {
      const by = operations[canceledBy ?? -1];
      const isRight = by?.type === 'taskCancelation' && (canceledBy ?? 0) > uid;
      return isRight ? undefined : `canceled by ${canceledBy}`;
    }
    if (status === 'failed' && error !== null && codes.includes(error.code)) return undefined;
    const succeeds = operation.apply(this.model);
    // What came before the deletion of its index in one batch counts as done, whatever it was.
    const isRight = status === 'succeeded' || (status === 'failed' && !succeeds);
    return isRight ? undefined : `${operation.type} ${status}, ${error?.code} ${error?.message}`;
  }
}
