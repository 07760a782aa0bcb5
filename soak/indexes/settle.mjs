// After a kill: finds out of each write whether the server knows it, and how it ended.
import { setTimeout as delay } from 'node:timers/promises';

const PAGE = 1_000;
const LONGEST_QUEUE_MS = 120_000;

/**
 * @typedef {import('./connection.mjs').Connection} Connection
 * @typedef {import('./connection.mjs').Sent} Sent
 * @typedef {import('./connection.mjs').Task} Task
 */

/** @param {Connection} server */
async function queueEmpty(server) {
  const path = '/tasks?limit=1&statuses=enqueued,processing';
  for (const end = Date.now() + LONGEST_QUEUE_MS; Date.now() < end; await delay(10)) {
    const { body } = await server.send({ method: 'GET', path });
    if (body.total === 0) return;
  }
  throw new Error('a task never ends');
}

/**
 * @param {Connection} server
 * @returns {Promise<Map<number, Task>>} by their numbers
 */
async function allTasks(server) {
  /** @type {Task[]} */
  const tasks = [];
  for (;;) {
    const path = `/tasks?reverse=true&limit=${PAGE}&from=${tasks.length}`;
    const { body } = await server.send({ method: 'GET', path });
    tasks.push(...body.results);
    if (body.next === null) return new Map(tasks.map((task) => [task.uid, task]));
  }
}

/** @param {Task} task */
const uidsOf = ({ indexUid, details }) =>
  details?.swaps?.[0]?.indexes ?? (indexUid === null ? [] : [indexUid]);

/**
 * Whether a task may be that of a write which was not acknowledged. Each client has sent one at most, of an index that
 * nobody else worked with.
 * @param {Sent} sent
 * @param {Task} task
 */
const fits = ({ write }, task) =>
  task.type === write.type && uidsOf(task).join() === write.uids.join();

/**
 * Waits for the queue, and takes all writes that a server which is gone did not end into the model.
 * @param {Connection} before to the server that is gone
 * @param {Connection} server to the one on the same folder
 */
export async function settle(before, server) {
  await queueEmpty(server);
  const tasks = await allTasks(server);
  server.ended = before.ended;
  for (const [uid, status] of before.ended) {
    const is = tasks.get(uid)?.status;
    if (is !== status) server.wrong.push(`task ${uid} was ${status}, is ${is}`);
    tasks.delete(uid);
  }
  const acknowledged = new Set([...before.unsettled].map(({ taskUid }) => taskUid));
  const unknown = [...tasks.values()].filter(({ uid }) => !acknowledged.has(uid));
  for (const sent of before.unsettled) {
    const isKnown = sent.taskUid !== undefined;
    const at = unknown.findIndex((task) => fits(sent, task));
    const task = isKnown ? tasks.get(Number(sent.taskUid)) : unknown[at];
    if (task !== undefined) server.end(sent, task);
    else if (isKnown) server.wrong.push(`task ${sent.taskUid} was acknowledged, and is lost`);
    if (!isKnown && task !== undefined) unknown.splice(at, 1);
  }
  for (const { uid, type } of unknown) server.wrong.push(`task ${uid}, ${type}, was never sent`);
}
