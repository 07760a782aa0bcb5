// `npm run bench -- update`: one document into an index that has many, while searches go on.
import { freshBody } from './fresh-search.mjs';
import { percentile } from './numbers.mjs';

const DOCUMENTS = 200;
const FIRST_ID = 2_000_000_000;
/** Searches for words of the dataset, at a steady rate whatever the answers take. */
const SEARCHES_PER_SECOND = 100;

/** @typedef {import('./target.mjs').Target} Target */

/**
 * Searches steadily until it is told to stop; the milliseconds of all answers.
 * @param {Target} server
 * @param {string} index
 * @param {string[]} words
 */
function searchSteadily(server, index, words) {
  /** @type {number[]} */
  const times = [];
  let n = 0;
  const timer = setInterval(async () => {
    const q = words[n++ % words.length];
    const started = performance.now();
    await server.call('POST', `/indexes/${index}/search`, freshBody({ q })).catch(() => undefined);
    times.push(performance.now() - started);
  }, 1000 / SEARCHES_PER_SECOND);
  return () => {
    clearInterval(timer);
    return times;
  };
}

/**
 * Adds documents one after the other and searches for each until it is found. Milliseconds from
 * sending a document to its first hit, and those of the searches beside it.
 * @param {Target} server
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {string[]} words what the searches beside ask for
 */
export async function measureUpdate(server, dataset, words) {
  const documents = `/indexes/${dataset.name}/documents`;
  const [attribute = 'title'] = dataset.settings.searchableAttributes ?? [];
  const stop = searchSteadily(server, dataset.name, words);
  const times = [];
  const ids = [];
  let last;
  for (let n = 0; n < DOCUMENTS; n += 1) {
    const id = FIRST_ID + n;
    const word = `zq${id.toString(36)}x`;
    ids.push(id);
    const started = performance.now();
    last = server.call('POST', documents, [{ id, [attribute]: word }]);
    await last;
    await found(server, dataset.name, word);
    times.push(performance.now() - started);
  }
  const searches = stop();
  if (last) await server.done(last);
  await server.done(server.call('POST', `${documents}/delete-batch`, ids));
  const summary = (/** @type {number[]} */ all) => ({
    n: all.length,
    p50Ms: percentile(all, 50),
    p99Ms: percentile(all, 99),
    maxMs: Math.max(...all),
  });
  return { added: summary(times), searches: summary(searches) };
}

/**
 * @param {Target} server
 * @param {string} index
 * @param {string} word
 */
async function found(server, index, word) {
  const body = { q: `"${word}"`, limit: 1, attributesToRetrieve: [] };
  for (;;) {
    const { hits } = await server.call('POST', `/indexes/${index}/search`, body);
    if (hits.length > 0) return;
  }
}
