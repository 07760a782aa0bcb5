// One life of a server: it starts, is written to, and something happens to it.
import { Target } from '../../bench/target.mjs';
import { randomOperation } from './operations.mjs';

/**
 * @typedef {import('../../bench/random.mjs').Random} Random
 * @typedef {import('./operations.mjs').Operation} Operation
 * @typedef {import('../../scripts/server-process.mjs').ServerProcess} ServerProcess
 *
 * @typedef {object} Known what was acknowledged
 * @property {Operation[]} operations by number of the task
 * @property {Operation | undefined} unanswered sent last before the server was gone
 */

/**
 * Sends an operation; the number of its task, the code of a refusal, or nothing when the server is gone.
 * @param {string} url
 * @param {Operation} operation
 * @returns {Promise<{taskUid: number} | {code: string, message: string} | undefined>}
 */
async function send(url, { method, path, body }) {
  let status;
  let text;
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, url), {
      method,
      ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
    });
    status = response.status;
    text = await response.text();
  } catch {
    return undefined;
  }
  const answer = JSON.parse(text);
  if (status < 300) return { taskUid: answer.taskUid };
  return { code: answer.code, message: answer.message };
}

/**
 * Writes until the server is gone. What was sent last and not answered may or may not be known to it; what was
 * refused is not.
 * @param {string} url
 * @param {Random} random
 * @param {Known} known
 * @param {readonly string[]} codes of refusals that are right
 */
export async function writeUntilGone(url, random, known, codes) {
  for (;;) {
    const operation = randomOperation(random, known.operations.length);
    const answer = await send(url, operation);
    if (answer === undefined) {
      known.unanswered = operation;
      return;
    }
    if ('code' in answer) {
      if (codes.includes(answer.code)) continue;
      throw new Error(
        `${operation.method} ${operation.path} was refused: ${answer.code} ${answer.message}`,
      );
    }
    const next = known.operations.length;
    if (answer.taskUid !== next) {
      throw new Error(`task ${answer.taskUid} was acknowledged instead of ${next}`);
    }
    known.operations.push(operation);
    if (random.next() < 0.2) await new Promise((end) => setTimeout(end, random.between(0, 40)));
  }
}

/**
 * Finds out whether the write that was not answered is known, and that all others are.
 * @param {ServerProcess} server
 * @param {Known} known
 */
export async function settle(server, known) {
  const { results, total } = await new Target({}, server).call('GET', '/tasks?limit=1');
  const { unanswered, operations } = known;
  if (unanswered !== undefined && total === operations.length + 1) {
    if (results[0].type !== unanswered.type) throw new Error(`${results[0].type} was never sent`);
    operations.push(unanswered);
  }
  known.unanswered = undefined;
  if (total !== operations.length)
    throw new Error(`${total} tasks instead of ${operations.length}`);
}
