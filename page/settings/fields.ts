import type { SettingName } from '../../src/settings/settings-schema.js';

/** How a setting is edited: one entry per line, JSON, a number, a switch, or one of some words. */
export type Kind = 'lines' | 'json' | 'text' | 'number' | 'switch' | readonly string[];

/** One setting in the editor. */
export interface Field {
  readonly name: SettingName;
  readonly label: string;
  readonly help: string;
  readonly kind: Kind;
}

const field = (name: SettingName, kind: Kind, label: string, help: string): Field => ({
  name,
  label,
  help,
  kind,
});

/** The settings by what they are about, in the order in which people meet them. */
export const FIELD_GROUPS: readonly (readonly [title: string, fields: readonly Field[]])[] = [
  [
    'Attributes',
    [
      field(
        'searchableAttributes',
        'lines',
        'Searchable',
        'One per line, the most important first; * is all.',
      ),
      field(
        'filterableAttributes',
        'lines',
        'Filterable',
        'Attributes of filters and facets, one per line.',
      ),
      field(
        'sortableAttributes',
        'lines',
        'Sortable',
        'Attributes that hits can be sorted by, one per line.',
      ),
      field('displayedAttributes', 'lines', 'Displayed', 'Attributes that answers show; * is all.'),
      field('distinctAttribute', 'text', 'Distinct', 'At most one hit for each value of it.'),
      field(
        'foreignKeys',
        'json',
        'Foreign keys',
        'Attributes that hold identifiers of documents of other indexes.',
      ),
    ],
  ],
  [
    'Ranking',
    [
      field(
        'rankingRules',
        'lines',
        'Ranking rules',
        'One per line; an earlier rule decides before a later one.',
      ),
      field(
        'typoTolerance',
        'json',
        'Typos',
        'Word lengths from which one or two typos are forgiven.',
      ),
      field(
        'proximityPrecision',
        ['byWord', 'byAttribute'],
        'Proximity',
        'How exactly distances between words count.',
      ),
      field(
        'prefixSearch',
        ['indexingTime', 'disabled'],
        'Prefix search',
        'Whether the last word may be unfinished.',
      ),
    ],
  ],
  [
    'Words',
    [
      field('stopWords', 'lines', 'Stop words', 'Words that searches ignore, one per line.'),
      field('synonyms', 'json', 'Synonyms', 'Words, and what they also stand for.'),
      field('dictionary', 'lines', 'Dictionary', 'Texts that count as one word.'),
      field('separatorTokens', 'lines', 'Separators', 'Further characters that end a word.'),
      field('nonSeparatorTokens', 'lines', 'Not separators', 'Characters that do not end a word.'),
      field('localizedAttributes', 'json', 'Languages', 'Languages of attributes.'),
    ],
  ],
  [
    'Limits and more',
    [
      field('faceting', 'json', 'Facets', 'How many values a facet shows, and in which order.'),
      field('facetSearch', 'switch', 'Facet search', 'Whether values of facets can be searched.'),
      field('pagination', 'json', 'Pagination', 'How many hits can be reached at most.'),
      field(
        'searchCutoffMs',
        'number',
        'Search cutoff',
        'Milliseconds after which a search answers with what it has.',
      ),
      field('embedders', 'json', 'Embedders', 'What makes vectors of documents and queries.'),
      field('chat', 'json', 'Chat', 'How chats read this index.'),
    ],
  ],
];

/** The kind that can hold a value: lists with objects in them are edited as JSON. */
export function kindFor(kind: Kind, value: unknown): Kind {
  const isPlain =
    Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes('\n'));
  return kind === 'lines' && !isPlain ? 'json' : kind;
}

/** A value as the text of its editor. */
export function textFor(kind: Kind, value: unknown): string {
  if (kind === 'lines') return (value as string[]).join('\n');
  if (kind === 'json') return JSON.stringify(value ?? null, null, 2);
  return value === null || value === undefined ? '' : String(value);
}

/** The value that a text stands for; throws with the reason when there is none. */
export function valueFrom(kind: Kind, text: string): unknown {
  if (kind === 'lines') return text.split('\n').filter((line) => line !== '');
  if (kind === 'json') return text.trim() === '' ? null : JSON.parse(text);
  if (kind === 'switch') return text === 'true';
  if (text === '') return null;
  if (kind !== 'number') return text;
  if (!/^\d+$/.test(text)) throw new Error('A whole number is wanted, or nothing.');
  return Number(text);
}

/** The setting that a refusal is about, by its code such as `invalid_settings_ranking_rules`. */
export function settingOfCode(code: string): string {
  const words = code.replace(/^invalid_settings_(index_)?/, '').split('_');
  return words
    .map((word, at) => (at === 0 ? word : (word[0] ?? '').toUpperCase() + word.slice(1)))
    .join('');
}
