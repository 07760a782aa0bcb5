// `npm run bench -- settings`: what each change of settings costs on an index that has documents, and what searches
// beside it feel of it.
import { percentile } from './numbers.mjs';

/**
 * One change after the other; each differs from what is set before it. Attributes are those of the dataset.
 * @param {import('./dataset.mjs').Settings} settings
 * @returns {Record<string, unknown>[]}
 */
function changesFor({ searchableAttributes, filterableAttributes, sortableAttributes }) {
  const [first = 'title', second = 'overview'] = searchableAttributes ?? [];
  const [facet = 'genres', other = 'release_date'] = filterableAttributes ?? [];
  const sorted = sortableAttributes?.[0] ?? first;
  return [
    { searchableAttributes: [first, second] },
    { searchableAttributes: [second, first] },
    { rankingRules: ['words', 'typo', 'attribute', 'sort', 'proximity', 'exactness'] },
    { synonyms: { film: ['movie'] } },
    { typoTolerance: { disableOnWords: ['film'] } },
    { pagination: { maxTotalHits: 500 } },
    { faceting: { maxValuesPerFacet: 50 } },
    { displayedAttributes: [first] },
    { prefixSearch: 'disabled' },
    { filterableAttributes: [facet] },
    { filterableAttributes: [facet, other] },
    { filterableAttributes: [] },
    { sortableAttributes: [sorted] },
    { distinctAttribute: second },
    { stopWords: ['the', 'of'] },
  ];
}

/**
 * Applies each change from the defaults on; milliseconds, the engine's steps, and the searches that went on meanwhile.
 * @param {import('./target.mjs').Target} server
 * @param {import('./dataset.mjs').Dataset} dataset
 */
export async function measureSettings(server, { name: index, settings }) {
  await server.done(server.call('DELETE', `/indexes/${index}/settings`));
  const figures = [];
  for (const change of changesFor(settings)) {
    const beside = searchBeside(server, index);
    const task = await server.done(server.call('PATCH', `/indexes/${index}/settings`, change));
    const searches = await beside.stop();
    const batch = await server.call('GET', `/batches/${task.batchUid}`);
    const ms = Date.parse(task.finishedAt) - Date.parse(task.startedAt);
    figures.push({ change, ms, searches, steps: batch.stats?.progressTrace });
  }
  return { index, figures };
}

/**
 * Searches one after the other until it is stopped.
 * @param {import('./target.mjs').Target} server
 * @param {string} index
 */
function searchBeside(server, index) {
  /** @type {number[]} */
  const times = [];
  let goesOn = true;
  const run = (async () => {
    while (goesOn) {
      const started = performance.now();
      await server.call('POST', `/indexes/${index}/search`, { q: 'a', limit: 10 });
      times.push(performance.now() - started);
    }
  })();
  return {
    stop: async () => {
      goesOn = false;
      await run;
      return { n: times.length, p50Ms: percentile(times, 50), maxMs: Math.max(...times) };
    },
  };
}
