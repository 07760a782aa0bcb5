// `npm run bench -- settings`: what each change of settings costs on an index that has documents.

/** One change after the other; each differs from what is set before it. */
const CHANGES = [
  { searchableAttributes: ['title', 'overview'] },
  { searchableAttributes: ['overview', 'title'] },
  { rankingRules: ['words', 'typo', 'attribute', 'sort', 'proximity', 'exactness'] },
  { synonyms: { film: ['movie'] } },
  { typoTolerance: { disableOnWords: ['film'] } },
  { pagination: { maxTotalHits: 500 } },
  { faceting: { maxValuesPerFacet: 50 } },
  { displayedAttributes: ['title'] },
  { prefixSearch: 'disabled' },
  { filterableAttributes: ['genres'] },
  { filterableAttributes: ['genres', 'release_date'] },
  { filterableAttributes: [] },
  { sortableAttributes: ['title'] },
  { distinctAttribute: 'poster' },
  { stopWords: ['the', 'of'] },
];

/**
 * Applies each change from the defaults on; seconds and the engine's steps.
 * @param {import('./target.mjs').Target} server
 * @param {string} index
 */
export async function measureSettings(server, index) {
  await server.done(server.call('DELETE', `/indexes/${index}/settings`));
  const figures = [];
  for (const change of CHANGES) {
    const task = await server.done(server.call('PATCH', `/indexes/${index}/settings`, change));
    const batch = await server.call('GET', `/batches/${task.batchUid}`);
    const ms = Date.parse(task.finishedAt) - Date.parse(task.startedAt);
    figures.push({ change, ms, steps: batch.stats?.progressTrace });
  }
  return { index, figures };
}
