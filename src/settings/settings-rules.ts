import { ApiError } from '../errors/api-error.js';
import { type Feature, featureNotEnabled } from '../features/feature.js';
import { embeddersProblem } from './embedder-rules.js';
import { maskSecret } from './mask-secret.js';
import { mixesAttributeRules } from './ranking-rule.js';
import { SETTING_NAMES, type SettingName, type SettingsChange } from './settings-schema.js';

/** Settings that are part of an optional feature. */
const FEATURES: Partial<Record<SettingName, Feature>> = {
  foreignKeys: 'foreignKeys',
  chat: 'chatCompletions',
};

/** Why a change of settings is refused although each value is right by itself. */
export function settingsProblem(
  change: SettingsChange,
  isOn: (feature: Feature) => boolean,
): ApiError | undefined {
  return (
    mixedRules(change) ??
    gatedSetting(change, isOn) ??
    (change.embedders == null ? undefined : embeddersProblem(change.embedders, isOn))
  );
}

function mixedRules({ rankingRules }: SettingsChange): ApiError | undefined {
  if (rankingRules == null || !mixesAttributeRules(rankingRules)) return undefined;
  return new ApiError(
    'invalid_settings_ranking_rules',
    'Mixed usage of the attribute, attributeRank, and wordPosition ranking rules. You must either use the attribute ranking rule alone or the attributeRank and wordPosition ranking rules.',
  );
}

function gatedSetting(
  change: SettingsChange,
  isOn: (feature: Feature) => boolean,
): ApiError | undefined {
  if (change.foreignKeys != null && !isOn('foreignKeys')) {
    return featureNotEnabled('foreignKeys', 'setting `foreignKeys` in the index settings');
  }
  if (change.chat != null && !isOn('chatCompletions')) {
    return featureNotEnabled('chatCompletions', 'setting `chat` in the index settings');
  }
  return undefined;
}

/** A change as it is enqueued: resets of the attribute lists name what they reset to. */
export function enqueuedChange(change: SettingsChange): Record<string, unknown> {
  const enqueued: Record<string, unknown> = { ...change };
  for (const name of ['displayedAttributes', 'searchableAttributes']) {
    if (enqueued[name] === null) enqueued[name] = ['*'];
  }
  return enqueued;
}

/** Ready JSON of settings as they are read: keys of embedders are masked. */
export function shownSettings(settings: string): string {
  return settings.includes('"apiKey"')
    ? JSON.stringify(shownChange(JSON.parse(settings)))
    : settings;
}

/** Ready JSON of one of the settings as they are read. */
export function shownSetting(settings: string, name: SettingName): string {
  const all = JSON.parse(shownSettings(settings)) as Record<string, unknown>;
  return JSON.stringify(all[name] ?? (name === 'foreignKeys' ? [] : null));
}

/** Ready JSON of all settings in the order of the wire, without those whose feature is off. */
export function enabledSettings(settings: string, isOn: (feature: Feature) => boolean): string {
  // The engine leaves out foreign keys where there are none.
  const all: Record<string, unknown> = { foreignKeys: [], ...JSON.parse(settings) };
  const names = SETTING_NAMES.filter((name) => {
    const feature = FEATURES[name];
    return name in all && (feature === undefined || isOn(feature));
  });
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, all[name]])));
}

/**
 * A change as the details of its task show it: keys of embedders are masked. The same object where
 * there are none: the other settings hold no keys, and may be too long to be copied for nothing.
 */
export function shownChange(
  change: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (change.embedders == null) return change;
  return { ...change, embedders: withMaskedKeys(change.embedders) };
}

function withMaskedKeys(embedders: unknown): unknown {
  const text = JSON.stringify(embedders, (name, value: unknown) =>
    name === 'apiKey' && typeof value === 'string' ? maskSecret(value) : value,
  );
  return JSON.parse(text);
}
