// Measures writing: a dataset from the first byte sent to the last task done, a start on existing data, and how long
// one new document takes to be found.
import { batches } from './dataset.mjs';
import { percentile } from './numbers.mjs';
import { cpuSeconds, diskUsage, residentMemory } from './process-usage.mjs';

const ADDED_DOCUMENTS = 50;

/**
 * @typedef {import('./target.mjs').Target} Target
 * @typedef {import('./dataset.mjs').Dataset} Dataset
 */

/**
 * Replaces the dataset's index: settings first, then all documents. Tasks are awaited at the end, so the server may
 * merge batches as it likes.
 * @param {Target} target
 * @param {Dataset} dataset
 * @param {{batchSize: number, limit?: number}} options
 */
export async function measureLoad(target, dataset, { batchSize, limit }) {
  const uid = dataset.name;
  await target.done(target.call('DELETE', `/indexes/${uid}`)).catch(() => undefined);
  await target.done(target.call('POST', '/indexes', { uid, primaryKey: 'id' }));
  await target.done(target.call('PATCH', `/indexes/${uid}/settings`, dataset.settings));

  const cpuBefore = cpuSeconds(target.pid);
  const started = performance.now();
  const counted = { documents: 0, bytes: 0 };
  const acknowledgements = [];
  const size = { size: batchSize, maxBytes: 64_000_000, ...(limit === undefined ? {} : { limit }) };
  for await (const { body, documents } of batches(dataset, size)) {
    acknowledgements.push(await target.call('POST', `/indexes/${uid}/documents`, body));
    counted.documents += documents;
    counted.bytes += body.length;
  }
  const sent = performance.now();
  for (const acknowledgement of acknowledgements)
    await target.done(Promise.resolve(acknowledgement));
  const ended = performance.now();

  const cpuAfter = cpuSeconds(target.pid);
  const { numberOfDocuments } = await target.call('GET', `/indexes/${uid}/stats`);
  if (numberOfDocuments !== counted.documents) {
    throw new Error(`${counted.documents} documents were sent, ${numberOfDocuments} are there`);
  }
  return {
    ...counted,
    requests: acknowledgements.length,
    sendSeconds: (sent - started) / 1000,
    seconds: (ended - started) / 1000,
    cpuSeconds: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
    peakMemoryMiB: residentMemory(target.pid)?.peak ?? null,
    diskMiB: target.dataFolder === undefined ? null : diskUsage(target.dataFolder) / 2 ** 20,
  };
}

/**
 * Seconds from starting the process to its first answered search, on data that is there already. The kernel's file
 * cache is warm unless `meanwhile` empties it; what is cold is the process.
 * @param {Target} target one of our own
 * @param {Dataset} dataset
 * @param {() => void} [meanwhile] called while no server runs
 */
export async function measureColdStart(target, dataset, meanwhile) {
  const started = await target.restart(meanwhile);
  await target.call('POST', `/indexes/${dataset.name}/search`, { q: 'a' });
  return { seconds: (performance.now() - started) / 1000 };
}

/**
 * Adds documents one by one and searches for each until it is found. The index is left as it was.
 * @param {Target} target
 * @param {Dataset} dataset
 */
export async function measureOneDocument(target, dataset) {
  const documents = `/indexes/${dataset.name}/documents`;
  const [attribute = 'title'] = dataset.settings.searchableAttributes ?? [];
  const times = [];
  const ids = [];
  let last;
  for (let n = 0; n < ADDED_DOCUMENTS; n += 1) {
    const id = 2_000_000_000 + n;
    const word = `zq${id.toString(36)}x`;
    ids.push(id);
    const started = performance.now();
    last = target.call('POST', documents, [{ id, [attribute]: word }]);
    await last;
    while (!(await isFound(target, dataset, word))) {
      if (performance.now() - started > 60_000)
        throw new Error('a document was not found after 60 s');
    }
    times.push(performance.now() - started);
  }
  if (last) await target.done(last);
  await target.done(target.call('POST', `${documents}/delete-batch`, ids));
  return {
    added: times.length,
    p50Ms: percentile(times, 50),
    p99Ms: percentile(times, 99),
    maxMs: Math.max(...times),
  };
}

/**
 * @param {Target} target
 * @param {Dataset} dataset
 * @param {string} word
 */
async function isFound(target, dataset, word) {
  const body = { q: `"${word}"`, limit: 1, attributesToRetrieve: [] };
  const { hits } = await target.call('POST', `/indexes/${dataset.name}/search`, body);
  return hits.length > 0;
}
