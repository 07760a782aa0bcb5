// `npm run bench -- crash`: random writes to a server that is killed at random moments, and then everything it
// acknowledged is compared with a model: nothing lost, nothing twice, nothing half, no files left behind.
import { setTimeout as delay } from 'node:timers/promises';
import { startServer } from '../../scripts/server-process.mjs';
import { Random } from '../random.mjs';
import { Target } from '../target.mjs';
import { compareIndexes, leftOver } from './check.mjs';
import { randomOperation } from './operations.mjs';

const LONGEST_ROUND_MS = 700;
const CONFIGURATION = { editDocumentsByFunction: true };

/**
 * @typedef {import('./operations.mjs').Operation} Operation
 *
 * @typedef {object} Rounds
 * @property {number} rounds
 * @property {number} seed
 * @property {(line: string) => void} [log]
 */

/**
 * Writes until the server is gone. What was sent last and not answered may or may not be known to it.
 * @param {Target} server
 * @param {Random} random
 * @param {Operation[]} known by number of the task
 * @returns {Promise<Operation>}
 */
async function write(server, random, known) {
  for (;;) {
    const operation = randomOperation(random);
    let answer;
    try {
      answer = await server.call(operation.method, operation.path, operation.body);
    } catch (error) {
      // Only a server that is gone may leave a request without an acknowledgement.
      if (error instanceof TypeError) return operation;
      throw error;
    }
    if (answer.taskUid !== known.length) {
      throw new Error(`task ${answer.taskUid} was acknowledged instead of ${known.length}`);
    }
    known.push(operation);
    if (random.next() < 0.2) await delay(random.between(0, 40));
  }
}

/**
 * One life of a server: it starts, is written to, and is killed.
 * @param {Random} random
 * @param {Operation[]} known
 * @param {string | undefined} folder
 * @param {Operation | undefined} unanswered of the life before
 */
async function life(random, known, folder, unanswered) {
  const own = await startServer(folder === undefined ? {} : { folder });
  const server = new Target({}, own);
  await settle(server, known, unanswered);
  await server.call('PATCH', '/experimental-features', CONFIGURATION);
  const writing = write(server, random, known);
  writing.catch(() => undefined);
  await delay(random.between(5, LONGEST_ROUND_MS));
  await own.stop('SIGKILL');
  return { folder: own.folder, unanswered: await writing };
}

/**
 * Finds out whether the write that was not answered is known.
 * @param {Target} server
 * @param {Operation[]} known
 * @param {Operation | undefined} unanswered
 */
async function settle(server, known, unanswered) {
  const { results, total } = await server.call('GET', '/tasks?limit=1');
  if (unanswered !== undefined && total === known.length + 1) {
    if (results[0].type !== unanswered.type) throw new Error(`${results[0].type} was never sent`);
    known.push(unanswered);
  }
  if (total !== known.length) throw new Error(`${total} tasks instead of ${known.length}`);
}

/**
 * Waits for all tasks, and says which ended otherwise than the model.
 * @param {Target} server
 * @param {Operation[]} known
 * @param {import('./operations.mjs').Model} model
 */
async function compareTasks(server, known, model) {
  const found = [];
  for (const [uid, operation] of known.entries()) {
    const { status, error } = await endOf(server, uid);
    const succeeds = operation.apply(model);
    // What came before the deletion of its index in one batch counts as done, whatever it was.
    const isRight = status === 'succeeded' || (status === 'failed' && !succeeds);
    if (!isRight) {
      found.push(`task ${uid}, ${operation.type}: ${status}, ${error?.message}`);
    }
  }
  return found;
}

/**
 * @param {Target} server
 * @param {number} uid
 * @returns {Promise<{status: string, error: {message: string} | null}>}
 */
async function endOf(server, uid) {
  for (;;) {
    const task = await server.call('GET', `/tasks/${uid}`);
    if (task.status !== 'enqueued' && task.status !== 'processing') return task;
    await delay(20);
  }
}

/**
 * Runs so many rounds; what is wrong in the end, in sentences. Nothing of it is the aim.
 * @param {Rounds} options
 */
export async function crashRounds({ rounds, seed, log = () => undefined }) {
  const random = new Random(seed);
  /** @type {Operation[]} */
  const known = [];
  /** @type {string | undefined} */
  let folder;
  /** @type {Operation | undefined} */
  let unanswered;
  for (let round = 0; round < rounds; round += 1) {
    ({ folder, unanswered } = await life(random, known, folder, unanswered));
    log(`round ${round + 1} of ${rounds}: ${known.length} writes`);
  }
  const own = await startServer(folder === undefined ? {} : { folder });
  const server = new Target({}, own);
  try {
    await settle(server, known, unanswered);
    const model = new Map();
    const wrong = await compareTasks(server, known, model);
    wrong.push(...(await compareIndexes(server, model)));
    await own.stop();
    // Opened once more without a write, an index holds nothing but what its commit names.
    const last = await startServer({ folder: own.folder });
    wrong.push(...(await compareIndexes(new Target({}, last), model)));
    await last.stop();
    wrong.push(...leftOver(own.dataFolder, model.size));
    return { writes: known.length, folder: own.folder, wrong };
  } finally {
    await own.stop('SIGKILL');
  }
}
