import { SEARCH_TOOL } from './completion-request.js';
import type { Prompts } from './prompts.js';

/** Values of one attribute that a model is told of. */
const MAX_VALUES = 10;
/** Attributes of one index that a model is told the values of. */
const MAX_FACETS = 100;
/** Characters of a value; longer ones are of no use in a filter. */
const MAX_VALUE_LENGTH = 100;

/** An index as it is described to a model. */
export interface DescribedIndex {
  readonly uid: string;
  readonly description: string;
  /** How often each value occurs, by attribute. */
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** The tool by which a model searches the indexes given and no others. */
export function searchTool(prompts: Prompts, indexes: readonly DescribedIndex[]): object {
  const { searchDescription, searchQParam, searchFilterParam, searchIndexUidParam } = prompts;
  const uids = indexes.map(({ uid }) => uid);
  return {
    type: 'function',
    function: {
      name: SEARCH_TOOL,
      description: `${searchDescription}${indexes.map(described).join('')}`,
      parameters: {
        type: 'object',
        properties: {
          index_uid: { type: 'string', enum: uids, description: searchIndexUidParam },
          q: { type: 'string', description: searchQParam },
          filter: {
            type: 'string',
            description: `${searchFilterParam}${indexes.map(facetsOf).join('')}`,
          },
        },
        required: ['index_uid', 'q', 'filter'],
        additionalProperties: false,
      },
      strict: true,
    },
  };
}

const described = ({ uid, description }: DescribedIndex): string =>
  `\n\n - ${uid}: ${description}\n`;

function facetsOf({ uid, facets }: DescribedIndex): string {
  const lines = Object.entries(facets)
    .slice(0, MAX_FACETS)
    .map(([name, counts]) => `- ${name}: ${commonest(counts).join(', ')}\n`);
  return `\n## Facet distributions of the ${uid} index\n${lines.join('')}`;
}

function commonest(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts)
    .filter(([value]) => value.length <= MAX_VALUE_LENGTH)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_VALUES)
    .map(([value]) => JSON.stringify(value));
}
