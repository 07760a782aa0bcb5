import type * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import type { Feature } from '../features/feature.js';
import { decodeJson } from '../validation/decode-json.js';
import { currentChange, earlierSettingsSchema } from './earlier-settings.js';
import { enqueuedChange, settingsProblem, shownChange } from './settings-rules.js';
import {
  SETTINGS,
  type SettingName,
  type SettingsChange,
  settingsSchema,
} from './settings-schema.js';

/** What a body is about: any settings, those of the earlier shape, or the value of a single one. */
export type SettingsPart = 'any' | 'earlier' | SettingName;

/** A change of settings as it is enqueued, and as its task shows it. */
export interface AskedSettings {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly shownSettings: Readonly<Record<string, unknown>>;
}

/** The schema of a body of settings. */
export function settingsBodySchema(part: SettingsPart): z.ZodType {
  if (part === 'any') return settingsSchema;
  if (part === 'earlier') return earlierSettingsSchema;
  return (SETTINGS[part].schema as z.ZodType).nullable();
}

/** Reads a body of settings; throws what is wrong with it. `on` has the features that are on. */
export function readSettings(
  body: Buffer,
  part: SettingsPart,
  on: Readonly<Record<string, boolean>>,
): AskedSettings {
  const decoded = decodeJson(settingsBodySchema(part), body);
  if ('problem' in decoded) throw new ApiError(decoded.problem.code, decoded.problem.message);
  const change = changeOf(decoded.value, part);
  return askedSettings(change, (feature) => on[feature] ?? false);
}

/** A change whose values fit the schema; throws why it is refused all the same. */
export function askedSettings(
  change: SettingsChange,
  isOn: (feature: Feature) => boolean,
): AskedSettings {
  const problem = settingsProblem(change, isOn);
  if (problem !== undefined) throw problem;
  const settings = enqueuedChange(change);
  return { settings, shownSettings: shownChange(settings) };
}

function changeOf(value: unknown, part: SettingsPart): SettingsChange {
  if (part === 'any') return value as SettingsChange;
  if (part === 'earlier') return currentChange(value as SettingsChange);
  return { [part]: value };
}
