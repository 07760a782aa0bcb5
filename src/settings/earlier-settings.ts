import {
  SETTING_NAMES,
  type SettingName,
  type SettingsChange,
  settingsSchema,
} from './settings-schema.js';

/** The settings that the earlier shape knows, in its order. */
const EARLIER_NAMES = [
  'synonyms',
  'stopWords',
  'rankingRules',
  'filterableAttributes',
  'distinctAttribute',
  'searchableAttributes',
  'displayedAttributes',
  'sortableAttributes',
] as const satisfies readonly SettingName[];

/** A change of settings in the earlier shape: fewer settings, the same values. */
export const earlierSettingsSchema = settingsSchema.omit(
  Object.fromEntries(
    SETTING_NAMES.filter((name) => !(EARLIER_NAMES as readonly string[]).includes(name)).map(
      (name) => [name, true],
    ),
  ) as Record<Exclude<SettingName, (typeof EARLIER_NAMES)[number]>, true>,
);

/**
 * A change in the earlier shape in current terms: there `attribute` and `wordsPosition` stand side
 * by side, which are the two halves of what `attribute` alone means now.
 */
export function currentChange(change: SettingsChange): SettingsChange {
  const { rankingRules } = change;
  if (rankingRules == null || !rankingRules.includes('wordPosition')) return change;
  const halves = rankingRules.map((rule) => (rule === 'attribute' ? 'attributeRank' : rule));
  return { ...change, rankingRules: halves };
}

/** Settings as the earlier shape shows them: eight of them, rules under their earlier names. */
export function earlierSettings(settings: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    EARLIER_NAMES.map((name) => {
      const value = settings[name] ?? null;
      return [
        name,
        name === 'rankingRules' && Array.isArray(value) ? value.map(earlierRule) : value,
      ];
    }),
  );
}

function earlierRule(rule: unknown): unknown {
  if (rule === 'wordPosition') return 'wordsPosition';
  if (rule === 'attributeRank') return 'attribute';
  const custom = /^(.+):(asc|desc)$/s.exec(String(rule));
  return custom === null ? rule : `${custom[2]}(${custom[1]})`;
}
