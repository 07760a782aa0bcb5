import type * as z from 'zod';
import type { ErrorCode } from '../../../errors/codes.js';
import {
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  settingsSchema,
} from '../../../settings/settings-schema.js';
import { taskSummary, updateSummary } from '../answers/tasks.js';
import { type AnswerNotes, answered, type RouteNotes, type TagNotes } from '../route-notes.js';

/** What the form of requests to an embedder may be refused with. */
const EMBEDDERS: readonly ErrorCode[] = ['vector_embedding_error'];

const WRITTEN = answered('The write is in the queue', taskSummary);
const shown = (description: string, schema: z.ZodType): AnswerNotes => ({
  description,
  schema,
  asSent: true,
});

/** How each setting is called in a sentence. */
const WORDS: Readonly<Record<SettingName, string>> = {
  displayedAttributes: 'the attributes that answers show',
  searchableAttributes: 'the attributes that are searched, the most important ones first',
  filterableAttributes: 'the attributes that filters and facets may name',
  sortableAttributes: 'the attributes that hits may be sorted by',
  foreignKeys: 'the attributes that hold ids of documents of other indexes',
  rankingRules: 'the rules that order hits',
  stopWords: 'the words that are not searched',
  nonSeparatorTokens: 'the tokens that do not part words although they usually do',
  separatorTokens: 'further tokens that part words',
  dictionary: 'the texts that are one word each',
  synonyms: 'the words that stand for others',
  distinctAttribute: 'the attribute of which each value is found once',
  proximityPrecision: 'how exactly the distance of words is measured',
  typoTolerance: 'how many typos are forgiven, and where',
  faceting: 'how many values facets show, and in which order',
  pagination: 'how many hits can be reached',
  embedders: 'the embedders, which turn documents and queries into vectors',
  searchCutoffMs: 'the milliseconds after which a search answers with what it has',
  localizedAttributes: 'the languages of attributes',
  facetSearch: 'whether values of facets can be searched',
  prefixSearch: 'whether the last word of a query may be the start of a word',
  chat: 'what chats are told of the index',
};

function settingRoutes(name: SettingName): [string, RouteNotes][] {
  const { path: part, method, schema } = SETTINGS[name];
  const path = `/indexes/:indexUid/settings/${part}`;
  const subject = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const words = WORDS[name];
  return [
    [
      `GET ${path}`,
      {
        id: `get${subject}`,
        summary: `Show ${words}`,
        answers: { 200: shown('The setting', (schema as z.ZodType).nullable()) },
        codes: ['index_not_found'],
      },
    ],
    [
      `${method} ${path}`,
      {
        id: `change${subject}`,
        summary: `Set ${words}`,
        description: 'Null sets it back to the default.',
        answers: { 202: WRITTEN },
        codes: ['feature_not_enabled', ...(name === 'embedders' ? EMBEDDERS : [])],
      },
    ],
    [
      `DELETE ${path}`,
      { id: `reset${subject}`, summary: `Set back ${words}`, answers: { 202: WRITTEN } },
    ],
  ];
}

/** The settings of an index, whole and one by one. */
export const settingsNotes: TagNotes = {
  tag: 'Settings',
  description: 'The settings of an index: what is searched, what is shown, what comes first.',
  routes: {
    'GET /indexes/:indexUid/settings': {
      id: 'getSettings',
      summary: 'Show all settings',
      description: 'In the earlier shape eight of them, with rules of ranking under earlier names.',
      answers: { 200: shown('The settings', settingsSchema) },
      codes: ['index_not_found'],
      headers: ['ApiShape'],
    },
    'PATCH /indexes/:indexUid/settings': {
      id: 'changeSettings',
      summary: 'Change settings',
      description: 'Settings that are not given stay, null sets one back to its default.',
      answers: { 202: WRITTEN },
      codes: ['feature_not_enabled', ...EMBEDDERS],
    },
    'POST /indexes/:indexUid/settings': {
      id: 'changeEarlierSettings',
      summary: 'Change settings, in the earlier shape',
      answers: { 202: answered('The write is in the queue', updateSummary) },
    },
    'DELETE /indexes/:indexUid/settings': {
      id: 'resetSettings',
      summary: 'Set all settings back to their defaults',
      answers: { 202: answered('The write is in the queue', taskSummary.or(updateSummary)) },
      headers: ['ApiShape'],
    },
    ...Object.fromEntries(SETTING_NAMES.flatMap(settingRoutes)),
  },
};
