// `npm run bench -- cancel`: how long a batch that is canceled at a random moment goes on.
import { percentile } from './numbers.mjs';
import { Random } from './random.mjs';

const INDEX = 'canceled';
const POLL_MS = 5;

/** @typedef {import('./target.mjs').Target} Target */

/**
 * Waits until a task has left the queue, and says what it is then.
 * @param {Target} server
 * @param {number} uid
 * @param {(status: string) => boolean} isThere
 */
async function when(server, uid, isThere) {
  for (;;) {
    const { status } = await server.call('GET', `/tasks/${uid}`);
    if (isThere(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** @param {string} status */
const hasEnded = (status) => status !== 'enqueued' && status !== 'processing';

/**
 * Adds all documents in one request, again and again, and cancels each time at another moment of
 * the time that an undisturbed batch takes; milliseconds from the acknowledgement of the cancelation
 * to the end of the task. An index that a canceled batch changed is an error.
 * @param {Target} server
 * @param {Buffer} body NDJSON
 * @param {{rounds: number, seed: number, settings: object}} options
 */
export async function measureCancel(server, body, { rounds, seed, settings }) {
  const random = new Random(seed);
  const documents = `/indexes/${INDEX}/documents`;
  await server.done(server.call('PATCH', `/indexes/${INDEX}/settings`, settings));
  const { taskUid } = await server.call('POST', documents, body);
  await when(server, taskUid, (status) => status !== 'enqueued');
  const started = performance.now();
  await server.done(Promise.resolve({ taskUid }));
  const wholeMs = performance.now() - started;
  await server.done(server.call('DELETE', documents));
  const figures = [];
  for (let round = 0; round < rounds; round += 1) {
    const added = await server.call('POST', documents, body);
    await when(server, added.taskUid, (status) => status !== 'enqueued');
    const afterMs = random.next() * wholeMs;
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const step = await stepOf(server);
    const canceled = await server.call('POST', `/tasks/cancel?uids=${added.taskUid}`);
    const acknowledged = performance.now();
    const status = await when(server, added.taskUid, hasEnded);
    figures.push({ afterMs, step, status, ms: performance.now() - acknowledged });
    await server.done(Promise.resolve(canceled));
    const { numberOfDocuments } = await server.call('GET', `/indexes/${INDEX}/stats`);
    if (status === 'canceled' && numberOfDocuments !== 0)
      throw new Error(`a canceled batch left ${numberOfDocuments} documents`);
    if (status === 'succeeded') await server.done(server.call('DELETE', documents));
  }
  const times = figures.filter(({ status }) => status === 'canceled').map(({ ms }) => ms);
  const p50Ms = percentile(times, 50);
  return { wholeMs, canceled: times.length, p50Ms, maxMs: Math.max(...times), figures };
}

/**
 * What the running batch is at.
 * @param {Target} server
 */
async function stepOf(server) {
  const { results } = await server.call('GET', '/batches?limit=1&statuses=processing');
  const steps = results[0]?.progress?.steps ?? [];
  return steps.at(-1)?.currentStep ?? null;
}
