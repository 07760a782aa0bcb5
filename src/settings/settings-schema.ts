import * as z from 'zod';
import type { ErrorCode } from '../errors/codes.js';
import { matchingStrategySchema, scoreThreshold } from '../search/search-request.js';
import { coded, integerUpTo, positiveInteger, withRules } from '../validation/field-rules.js';
import { LOCALES } from '../validation/locales.js';
import { embedderSchema } from './embedder-schema.js';
import { currentRuleName, rankingRuleProblem } from './ranking-rule.js';
import { sortedByBytes } from './sorted-by-bytes.js';

const names = z.array(z.string());

/** A list whose order does not count: kept sorted by bytes, without repeats. */
const nameSet = names.overwrite((list) => sortedByBytes(new Set(list)));

/** An object whose keys are free: kept sorted by them. */
function byName<Schema extends z.ZodType>(value: Schema) {
  return z.record(z.string(), value).overwrite((entries) => {
    const order = sortedByBytes(Object.keys(entries));
    return Object.fromEntries(order.map((key) => [key, entries[key]])) as typeof entries;
  });
}

const filterableAttribute = withRules(
  z.union([
    z.string(),
    z.strictObject({
      attributePatterns: names,
      features: z
        .strictObject({
          facetSearch: z.boolean().default(false),
          filter: z
            .strictObject({
              equality: z.boolean().default(true),
              comparison: z.boolean().default(false),
            })
            .prefault({}),
        })
        .prefault({}),
    }),
  ]),
  { expected: ['string'] },
);

const rankingRule = z
  .string()
  .superRefine((text, context) => {
    const message = rankingRuleProblem(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .overwrite(currentRuleName);

/** Word lengths are kept in one byte. */
const wordLength = integerUpTo(255);

const minWordSize = z
  .strictObject({ oneTypo: wordLength.nullish(), twoTypos: wordLength.nullish() })
  .superRefine(({ oneTypo, twoTypos }, context) => {
    if (oneTypo == null || twoTypos == null || oneTypo <= twoTypos) return;
    // The backticks are those of the reference engine: clients compare this text.
    const message = `\`minWordSizeForTypos\` setting is invalid. \`oneTypo\` and \`twoTypos\` fields should be between \`0\` and \`255\`, and \`twoTypos\` should be greater or equals to \`oneTypo\` but found \`oneTypo: ${oneTypo}\` and twoTypos: ${twoTypos}\`.`;
    context.addIssue({ code: 'custom', message });
  });

const typoTolerance = z.strictObject({
  enabled: z.boolean().nullish(),
  minWordSizeForTypos: minWordSize.nullish(),
  disableOnWords: nameSet.nullish(),
  disableOnAttributes: nameSet.nullish(),
  disableOnNumbers: z.boolean().nullish(),
});

const faceting = z.strictObject({
  maxValuesPerFacet: positiveInteger.nullish(),
  sortFacetValuesBy: byName(z.enum(['alpha', 'count'])).nullish(),
});

const pagination = z.strictObject({
  maxTotalHits: positiveInteger
    .refine((value) => value > 0, {
      error:
        'a non-zero integer value lower than `18446744073709551615` was expected, but found a zero',
    })
    .nullish(),
});

const localizedAttributes = z.array(
  z.strictObject({
    attributePatterns: names,
    locales: z.array(z.enum(LOCALES as [string])),
  }),
);

const foreignKeys = z.array(z.strictObject({ foreignIndexUid: z.string(), fieldName: z.string() }));

const chat = z.strictObject({
  description: z.string().nullish(),
  documentTemplate: z.string().nullish(),
  documentTemplateMaxBytes: positiveInteger.nullish(),
  searchParameters: z
    .strictObject({
      hybrid: z
        .strictObject({
          semanticRatio: scoreThreshold('semanticRatio').default(0.5),
          embedder: z.string(),
        })
        .nullish(),
      limit: positiveInteger.nullish(),
      sort: names.nullish(),
      distinct: z.string().nullish(),
      matchingStrategy: matchingStrategySchema.nullish(),
      attributesToSearchOn: names.nullish(),
      rankingScoreThreshold: scoreThreshold('rankingScoreThreshold').nullish(),
    })
    .nullish(),
});

/** One setting: its schema carries its error code, `path` is its sub-route. */
interface Setting<Schema extends z.ZodType> {
  readonly path: string;
  readonly method: 'PUT' | 'PATCH';
  readonly schema: Schema;
}

function setting<Schema extends z.ZodType>(
  path: string,
  code: ErrorCode,
  schema: Schema,
  method: 'PUT' | 'PATCH' = 'PUT',
): Setting<Schema> {
  return { path, method, schema: coded(code, schema) };
}

/** Every setting of an index, in the order of the wire. */
export const SETTINGS = {
  displayedAttributes: setting(
    'displayed-attributes',
    'invalid_settings_displayed_attributes',
    names,
  ),
  searchableAttributes: setting(
    'searchable-attributes',
    'invalid_settings_searchable_attributes',
    names,
  ),
  filterableAttributes: setting(
    'filterable-attributes',
    'invalid_settings_filterable_attributes',
    z.array(filterableAttribute),
  ),
  sortableAttributes: setting(
    'sortable-attributes',
    'invalid_settings_sortable_attributes',
    nameSet,
  ),
  foreignKeys: setting('foreign-keys', 'invalid_settings_foreign_keys', foreignKeys),
  rankingRules: setting('ranking-rules', 'invalid_settings_ranking_rules', z.array(rankingRule)),
  stopWords: setting('stop-words', 'invalid_settings_stop_words', nameSet),
  nonSeparatorTokens: setting(
    'non-separator-tokens',
    'invalid_settings_non_separator_tokens',
    nameSet,
  ),
  separatorTokens: setting('separator-tokens', 'invalid_settings_separator_tokens', nameSet),
  dictionary: setting('dictionary', 'invalid_settings_dictionary', nameSet),
  synonyms: setting('synonyms', 'invalid_settings_synonyms', byName(names)),
  distinctAttribute: setting(
    'distinct-attribute',
    'invalid_settings_distinct_attribute',
    z.string(),
  ),
  proximityPrecision: setting(
    'proximity-precision',
    'invalid_settings_proximity_precision',
    z.enum(['byWord', 'byAttribute']),
  ),
  typoTolerance: setting(
    'typo-tolerance',
    'invalid_settings_typo_tolerance',
    typoTolerance,
    'PATCH',
  ),
  faceting: setting('faceting', 'invalid_settings_faceting', faceting, 'PATCH'),
  pagination: setting('pagination', 'invalid_settings_pagination', pagination, 'PATCH'),
  embedders: setting(
    'embedders',
    'invalid_settings_embedders',
    byName(embedderSchema.nullable()),
    'PATCH',
  ),
  searchCutoffMs: setting('search-cutoff-ms', 'invalid_settings_search_cutoff_ms', positiveInteger),
  localizedAttributes: setting(
    'localized-attributes',
    'invalid_settings_localized_attributes',
    localizedAttributes,
  ),
  facetSearch: setting('facet-search', 'invalid_settings_facet_search', z.boolean()),
  prefixSearch: setting(
    'prefix-search',
    'invalid_settings_prefix_search',
    z.enum(['indexingTime', 'disabled']),
  ),
  chat: setting('chat', 'invalid_settings_index_chat', chat, 'PATCH'),
};

/** The name of a setting, as a key of the settings object. */
export type SettingName = keyof typeof SETTINGS;

/** Every setting by name, in the order of the wire. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

type SettingsShape = {
  [Name in SettingName]: z.ZodOptional<z.ZodNullable<(typeof SETTINGS)[Name]['schema']>>;
};

/** A change of settings: absent ones stay, null resets one to its default. */
export const settingsSchema = z
  .strictObject(
    Object.fromEntries(
      SETTING_NAMES.map((name) => [name, SETTINGS[name].schema.nullish()]),
    ) as SettingsShape,
  )
  .meta({ id: 'Settings' });

/** A change of settings, as decoded. */
export type SettingsChange = z.output<typeof settingsSchema>;
