import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { maskSecret } from '../settings/mask-secret.js';
import { coded } from '../validation/field-rules.js';
import { DEFAULT_PROMPTS, type Prompts } from './prompts.js';

/** Kinds of providers of language models. */
export const SOURCES = ['openAi', 'azureOpenAi', 'mistral', 'vLlm'] as const;

/** The settings of a workspace, complete, in the order of the wire. */
export interface ChatSettings {
  readonly source: (typeof SOURCES)[number];
  readonly orgId: string | null;
  readonly projectId: string | null;
  readonly apiVersion: string | null;
  readonly deploymentId: string | null;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly prompts: Prompts;
}

/** The settings of a workspace that nobody has set. */
export const DEFAULT_CHAT_SETTINGS: ChatSettings = {
  source: 'openAi',
  orgId: null,
  projectId: null,
  apiVersion: null,
  deploymentId: null,
  baseUrl: null,
  apiKey: null,
  prompts: DEFAULT_PROMPTS,
};

const promptsSchema = z.strictObject({
  system: coded('invalid_chat_completion_system_prompt', z.string()).nullish(),
  searchDescription: coded(
    'invalid_chat_completion_search_description_prompt',
    z.string(),
  ).nullish(),
  searchQParam: coded('invalid_chat_completion_search_query_param_prompt', z.string()).nullish(),
  searchFilterParam: coded(
    'invalid_chat_completion_search_filter_param_prompt',
    z.string(),
  ).nullish(),
  searchIndexUidParam: coded(
    'invalid_chat_completion_search_index_uid_param_prompt',
    z.string(),
  ).nullish(),
});

/** Body of a change of settings: absent fields stay, null resets one. */
export const chatSettingsChangeSchema = z
  .strictObject({
    source: coded('invalid_chat_completion_source', z.enum(SOURCES)).nullish(),
    orgId: coded('invalid_chat_completion_org_id', z.string()).nullish(),
    projectId: coded('invalid_chat_completion_project_id', z.string()).nullish(),
    apiVersion: coded('invalid_chat_completion_api_version', z.string()).nullish(),
    deploymentId: coded('invalid_chat_completion_deployment_id', z.string()).nullish(),
    baseUrl: coded('invalid_chat_completion_base_api', z.string()).nullish(),
    apiKey: coded('invalid_chat_completion_api_key', z.string()).nullish(),
    prompts: coded('invalid_chat_completion_prompts', promptsSchema).nullish(),
  })
  .meta({ id: 'ChatSettingsChange' });

/** A change of the settings of a workspace. */
export type ChatSettingsChange = z.output<typeof chatSettingsChangeSchema>;

/** The settings after a change; throws when they cannot work together. */
export function changedChatSettings(
  before: ChatSettings,
  change: ChatSettingsChange,
): ChatSettings {
  const { prompts, apiKey, ...plain } = change;
  const settings = {
    ...merged(before, DEFAULT_CHAT_SETTINGS, { ...plain, apiKey: newKey(before, apiKey) }),
    prompts:
      prompts === null ? DEFAULT_PROMPTS : merged(before.prompts, DEFAULT_PROMPTS, prompts ?? {}),
  };
  const problem = missingProblem(settings);
  if (problem !== undefined) throw new ApiError('bad_request', problem);
  return settings;
}

/** A key that was read in its masked form and sent back stays what it was. */
function newKey({ apiKey: before }: ChatSettings, sent: string | null | undefined) {
  return typeof sent === 'string' && before !== null && sent === maskSecret(before) ? before : sent;
}

function merged<Whole extends object>(
  before: Whole,
  defaults: Whole,
  change: { readonly [Name in keyof Whole]?: Whole[Name] | null | undefined },
): Whole {
  const names = Object.keys(defaults) as (keyof Whole)[];
  const values = names.map((name) => {
    const value = change[name];
    if (value === undefined) return [name, before[name]];
    return [name, value === null ? defaults[name] : value];
  });
  return Object.fromEntries(values) as Whole;
}

function missingProblem({ source, baseUrl, deploymentId, apiVersion }: ChatSettings) {
  const isMissing = (text: string | null) => text === null || text === '';
  if (source === 'azureOpenAi' && [baseUrl, deploymentId, apiVersion].some(isMissing)) {
    return 'azureOpenAi requires setting a valid `baseUrl`, `deploymentId`, and `apiVersion`';
  }
  if (source === 'vLlm' && isMissing(baseUrl)) return 'vLlm requires setting a valid `baseUrl`';
  return undefined;
}

/** Settings as they may be shown: the key is masked. */
export function shownChatSettings(settings: ChatSettings): ChatSettings {
  const { apiKey } = settings;
  return apiKey === null ? settings : { ...settings, apiKey: maskSecret(apiKey) };
}

/** Settings as they were stored, perhaps by another version: what cannot be read is as if unset. */
export function storedChatSettings(stored: unknown): ChatSettings {
  const fields = isObject(stored) ? stored : {};
  const prompts = isObject(fields.prompts) ? fields.prompts : {};
  const known = SOURCES.find((source) => source === fields.source);
  return {
    ...texts(DEFAULT_CHAT_SETTINGS, fields),
    source: known ?? DEFAULT_CHAT_SETTINGS.source,
    prompts: texts(DEFAULT_PROMPTS, prompts),
  };
}

function texts<Whole extends object>(defaults: Whole, stored: Record<string, unknown>): Whole {
  const entries = Object.entries(defaults).map(([name, value]) => {
    const found = Object.hasOwn(stored, name) ? stored[name] : undefined;
    return [name, typeof found === 'string' ? found : value];
  });
  return Object.fromEntries(entries) as Whole;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
