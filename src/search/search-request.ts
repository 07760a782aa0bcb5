import * as z from 'zod';
import { coded, positiveInteger, RefusedText, withRules } from '../validation/field-rules.js';
import { LOCALES, unsupportedLocale } from '../validation/locales.js';

/** Ways of dropping query words when not all match. */
export const matchingStrategySchema = z.enum(['last', 'all', 'frequency']);

/** A ranking score as a bound: from 0 to 1. */
export function scoreThreshold(name: string) {
  return z.number().refine((value) => value >= 0 && value <= 1, {
    error: `the value of \`${name}\` is invalid, expected a float between \`0.0\` and \`1.0\`.`,
  });
}

/** The largest number that a vector holds: numbers of 32 bits. */
const LARGEST = 2 ** 128 - 2 ** 104;

/** One number of a vector. */
const component = z.number().refine((value) => Math.abs(value) <= LARGEST, {
  error: 'the number is too large for a vector, expected one that 32 bits hold.',
});

/** A filter expression or its array form. The engine reads it, so any JSON passes here. */
export const filterSchema = z.any().meta({
  description: 'A filter expression, or an array whose elements must all hold',
  anyOf: [
    { type: 'string' },
    { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'array' }] } },
  ],
});

const names = z.array(z.string());
const semanticRatio = coded('invalid_search_semantic_ratio', scoreThreshold('semanticRatio'));

/** Which embedder a search uses, and how much it weighs against the words. */
export const hybridSchema = coded(
  'invalid_search_hybrid_query',
  z.strictObject({
    semanticRatio: semanticRatio.optional(),
    embedder: coded('invalid_search_embedder', z.string()),
  }),
);

/** Whose taste a search is ordered by. */
export const personalizeSchema = withRules(
  z.strictObject({
    userContext: coded('invalid_search_personalize_user_context', z.string()),
  }),
  {
    code: 'invalid_search_personalize',
    wrongKind:
      'the value of `personalize` is invalid, expected a JSON object with `userContext` string.',
  },
);

/** Parameters that a search takes under the same name and type in a body and in a query string. */
const sharedBefore = {
  q: coded('invalid_search_q', z.string()).nullish(),
  offset: coded('invalid_search_offset', positiveInteger).optional(),
  limit: coded('invalid_search_limit', positiveInteger).optional(),
  page: coded('invalid_search_page', positiveInteger).nullish(),
  hitsPerPage: coded('invalid_search_hits_per_page', positiveInteger).nullish(),
  attributesToRetrieve: coded('invalid_search_attributes_to_retrieve', names).nullish(),
  attributesToCrop: coded('invalid_search_attributes_to_crop', names).nullish(),
  cropLength: coded('invalid_search_crop_length', positiveInteger).optional(),
  cropMarker: coded('invalid_search_crop_marker', z.string()).nullish(),
  attributesToHighlight: coded('invalid_search_attributes_to_highlight', names).nullish(),
  highlightPreTag: coded('invalid_search_highlight_pre_tag', z.string()).nullish(),
  highlightPostTag: coded('invalid_search_highlight_post_tag', z.string()).nullish(),
  showMatchesPosition: coded('invalid_search_show_matches_position', z.boolean()).optional(),
  filter: coded('invalid_search_filter', filterSchema).nullish(),
  sort: coded('invalid_search_sort', names).nullish(),
  distinct: coded('invalid_search_distinct', z.string()).nullish(),
  facets: coded('invalid_search_facets', names).nullish(),
  matchingStrategy: coded('invalid_search_matching_strategy', matchingStrategySchema).optional(),
  attributesToSearchOn: coded('invalid_search_attributes_to_search_on', names).nullish(),
  rankingScoreThreshold: coded(
    'invalid_search_ranking_score_threshold',
    scoreThreshold('rankingScoreThreshold'),
  ).nullish(),
};

const retrieveVectors = coded('invalid_search_retrieve_vectors', z.boolean()).optional();

const sharedAfter = {
  useNetwork: coded('invalid_search_use_network', z.boolean()).nullish(),
  showRankingScore: coded('invalid_search_show_ranking_score', z.boolean()).optional(),
  showRankingScoreDetails: coded(
    'invalid_search_show_ranking_score_details',
    z.boolean(),
  ).optional(),
  showPerformanceDetails: coded('invalid_search_show_performance_details', z.boolean()).optional(),
};

/** The fields of a search body, in the order in which messages list them. */
export const searchFields = {
  ...sharedBefore,
  locales: coded('invalid_search_locales', z.array(z.enum(LOCALES as [string]))).nullish(),
  hybrid: hybridSchema.nullish(),
  vector: coded('invalid_search_vector', z.array(component)).nullish(),
  retrieveVectors,
  media: coded('invalid_search_media', z.any()).nullish(),
  personalize: personalizeSchema.nullish(),
  ...sharedAfter,
};

/** Body of a search on one index. The engine applies the defaults of what is absent. */
export const searchRequestSchema = z.strictObject(searchFields).meta({ id: 'SearchRequest' });

/** A search on one index, as sent; one of several may say by null that it has no `offset` or `limit`. */
export type SearchRequest = Omit<z.output<typeof searchRequestSchema>, 'offset' | 'limit'> & {
  offset?: number | null | undefined;
  limit?: number | null | undefined;
};

const localeText = withRules(
  z.string().refine((text) => LOCALES.includes(text), {
    error: (issue) => unsupportedLocale(String(issue.input)),
  }),
  { code: 'invalid_search_locales' },
);

/** Query string of a search on one index. */
export const searchQuerySchema = z.strictObject({
  ...sharedBefore,
  filter: withRules(filterSchema, {
    code: 'invalid_search_filter',
    fromText: readFilter,
  }).nullish(),
  sort: withRules(names, { code: 'invalid_search_sort', fromText: readSort }).nullish(),
  rankingScoreThreshold: withRules(scoreThreshold('rankingScoreThreshold'), {
    code: 'invalid_search_ranking_score_threshold',
    fromText: readFraction,
  }).optional(),
  locales: coded('invalid_search_locales', z.array(localeText)).optional(),
  hybridEmbedder: coded('invalid_search_embedder', z.string()).optional(),
  hybridSemanticRatio: withRules(scoreThreshold('semanticRatio'), {
    code: 'invalid_search_semantic_ratio',
    fromText: readFraction,
  }).optional(),
  vector: coded(
    'invalid_search_vector',
    z.array(withRules(component, { fromText: readFloat })),
  ).optional(),
  retrieveVectors,
  personalizeUserContext: coded('invalid_search_personalize_user_context', z.string()).optional(),
  ...sharedAfter,
});

/** A search as given by a query string. */
export type SearchQuery = z.output<typeof searchQuerySchema>;

/** Reads a filter parameter: JSON arrays are taken as such, anything else is an expression. */
export function readFilter(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}

/** Splits a sort parameter at commas, except those inside `_geoPoint(lat,lng):order`. */
export function readSort(text: string): string[] {
  const criteria: string[] = [];
  let open = false;
  for (const piece of text.split(',')) {
    const part = piece.trim().replace(/^["']+|["']+$/g, '');
    const starts = part.startsWith('_geoPoint(');
    if (open && !starts) criteria.push(`${criteria.pop()},${part}`);
    else criteria.push(part);
    // A point has two numbers, so that one piece alone never is a whole point.
    open = starts || (open && !/\):(asc|desc)$/.test(part));
  }
  return criteria;
}

/** Numbers of a query string: decimals, without the other notations and the spaces that JavaScript takes. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A fraction of a query string; other text becomes a value that no bound accepts. */
export function readFraction(text: string): number {
  return DECIMAL.test(text) ? Number(text) : -1;
}

function readFloat(text: string): number {
  if (text === '') throw new RefusedText('cannot parse float from empty string');
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  throw new RefusedText('invalid float literal');
}
