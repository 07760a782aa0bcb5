import { expect } from 'vitest';
import type { MethodCheck } from './method-check.js';

/** Settings by the name in the methods of the client: a value, and what a reset brings back. */
const SETTINGS: readonly (readonly [name: string, value: unknown, reset: unknown])[] = [
  ['Pagination', { maxTotalHits: 50 }, { maxTotalHits: 1000 }],
  ['Synonyms', { film: ['movie'] }, {}],
  ['StopWords', ['the'], []],
  [
    'RankingRules',
    ['words', 'typo', 'year:desc'],
    ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'],
  ],
  ['DistinctAttribute', 'genre', null],
  ['FilterableAttributes', ['genre', 'year'], []],
  ['SortableAttributes', ['title'], []],
  ['SearchableAttributes', ['title'], ['*']],
  ['DisplayedAttributes', ['title'], ['*']],
  ['TypoTolerance', { disableOnWords: ['alien'] }, { disableOnWords: [] }],
  ['Faceting', { maxValuesPerFacet: 5 }, { maxValuesPerFacet: 100 }],
  ['SeparatorTokens', ['&'], []],
  ['NonSeparatorTokens', ['#'], []],
  ['Dictionary', ['J. R. R.'], []],
  ['ProximityPrecision', 'byAttribute', 'byWord'],
  ['Embedders', { e: { source: 'userProvided', dimensions: 2 } }, {}],
  ['SearchCutoffMs', 150, null],
  ['LocalizedAttributes', [{ attributePatterns: ['*_ja'], locales: ['jpn'] }], null],
  ['ForeignKeys', [{ fieldName: 'actor', foreignIndexUid: 'actors' }], []],
  ['FacetSearch', false, true],
  ['PrefixSearch', 'disabled', 'indexingTime'],
];

/** The methods of one setting, whatever its type is. */
type SettingMethods = Record<
  string,
  (value?: unknown) => Promise<unknown> & { waitTask: () => Promise<{ status: string }> }
>;

/** A check of the three methods of a setting, under each of their names. */
function checksOf(name: string, value: unknown, reset: unknown): [string, MethodCheck][] {
  const call = (stage: Parameters<MethodCheck>[0], verb: string, given?: unknown) =>
    (stage.index as unknown as SettingMethods)[`${verb}${name}`]?.(given);
  const prepare: MethodCheck = async ({ index }) => {
    // Documents that bring no vectors refuse an embedder whose vectors the user gives.
    if (name === 'Embedders') await index.deleteAllDocuments().waitTask();
  };
  const update: MethodCheck = async (stage) => {
    await prepare(stage);
    expect(await call(stage, 'update', value)?.waitTask()).toMatchObject({ status: 'succeeded' });
    expect(await call(stage, 'get')).toEqual(matching(value));
  };
  const resets: MethodCheck = async (stage) => {
    await prepare(stage);
    await call(stage, 'update', value)?.waitTask();
    expect(await call(stage, 'reset')?.waitTask()).toMatchObject({ status: 'succeeded' });
    expect(await call(stage, 'get')).toEqual(matching(reset));
  };
  return [
    [`get${name}`, update],
    [`update${name}`, update],
    [`reset${name}`, resets],
  ];
}

/** Objects may hold more than was set: their other defaults. */
function matching(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.keys(value).length > 0 ? expect.objectContaining(value) : value;
}

const chat = { description: 'Films', documentTemplate: '{{ doc.title }}' };

const chatCheck: MethodCheck = async ({ index }) => {
  await index.updateChat(chat).waitTask();
  expect(await index.getChat()).toMatchObject(chat);
};

/** A check of every method of an index that reads or changes one setting. */
export const SETTING_METHODS: Readonly<Record<string, MethodCheck>> = {
  ...Object.fromEntries(SETTINGS.flatMap((setting) => checksOf(...setting))),
  getChat: chatCheck,
  updateChat: chatCheck,
};
