// One change, one look and one reset of each setting.

const params = { indexUid: 'shelf' };

/** @type {Record<string, readonly [method: string, value: unknown]>} */
const VALUES = {
  'displayed-attributes': ['PUT', ['title', 'year']],
  'searchable-attributes': ['PUT', ['title', 'overview']],
  'filterable-attributes': ['PUT', ['genres', { attributePatterns: ['year'] }]],
  'sortable-attributes': ['PUT', ['year']],
  'foreign-keys': ['PUT', [{ foreignIndexUid: 'films', fieldName: 'film' }]],
  'ranking-rules': ['PUT', ['words', 'typo', 'year:desc']],
  'stop-words': ['PUT', ['of', 'the']],
  'non-separator-tokens': ['PUT', ['#']],
  'separator-tokens': ['PUT', ['|']],
  dictionary: ['PUT', ['J. R. R.']],
  synonyms: ['PUT', { film: ['movie'], movie: ['film'] }],
  'distinct-attribute': ['PUT', 'sku'],
  'proximity-precision': ['PUT', 'byAttribute'],
  'typo-tolerance': [
    'PATCH',
    { minWordSizeForTypos: { oneTypo: 4 }, disableOnAttributes: ['isbn'] },
  ],
  faceting: ['PATCH', { maxValuesPerFacet: 20, sortFacetValuesBy: { '*': 'count' } }],
  pagination: ['PATCH', { maxTotalHits: 500 }],
  embedders: ['PATCH', { taste: { source: 'userProvided', dimensions: 3 } }],
  'search-cutoff-ms': ['PUT', 150],
  'localized-attributes': ['PUT', [{ attributePatterns: ['*_ja'], locales: ['jpn'] }]],
  'facet-search': ['PUT', false],
  'prefix-search': ['PUT', 'disabled'],
  chat: ['PATCH', { description: 'Films with their years and genres' }],
};

/** @type {readonly import('./story.mjs').Step[]} */
export const SETTING_STEPS = [
  {
    route: 'POST /indexes/:indexUid/settings',
    params,
    earlier: true,
    body: { rankingRules: ['typo', 'words', 'proximity', 'desc(year)'] },
  },
  ...Object.entries(VALUES).flatMap(([name, [method, body]]) => [
    { route: `${method} /indexes/:indexUid/settings/${name}`, params, body },
    { route: `GET /indexes/:indexUid/settings/${name}`, params },
    { route: `DELETE /indexes/:indexUid/settings/${name}`, params },
  ]),
  { route: 'DELETE /indexes/:indexUid/settings', params },
];
