import { shownCount } from './amounts.js';
import { type Command, TARGET_OPTIONS } from './command.js';
import type { Given } from './given.js';
import { MARKS, printTable } from './table.js';
import { openTarget } from './target.js';
import type { Terminal } from './terminal.js';

/** Columns of the table at the most. */
const MAX_COLUMNS = 6;

/** What an answer holds, as far as it is shown. */
interface Answer {
  readonly hits: readonly (Readonly<Record<string, unknown>> & {
    readonly _formatted?: Readonly<Record<string, unknown>>;
  })[];
  readonly processingTimeMs: number;
  readonly estimatedTotalHits?: number;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** `serval search`: one search, as a table. */
export const searchCommand: Command = {
  name: 'search',
  summary: 'Search an index',
  usage: ['search UID [WORDS...] [options]'],
  options: {
    ...TARGET_OPTIONS,
    filter: { help: 'Find documents that pass it', value: 'FILTER', short: 'f' },
    sort: { help: 'Order of the hits, such as year:desc', value: 'CRITERIA', isList: true },
    limit: { help: 'Hits at the most (default: 10)', value: 'COUNT', short: 'n' },
    offset: { help: 'Hits to leave out at the start', value: 'COUNT' },
    attributes: { help: 'Attributes to show (default: all)', value: 'NAMES', isList: true },
    facets: { help: 'Attributes whose values are counted', value: 'NAMES', isList: true },
    scores: { help: 'Show the ranking score of each hit' },
  },
  run: async (given, { terminal, signal }) => {
    const uid = given.word(0, 'the uid of the index');
    const isJson = given.has('json');
    const request = requestOf(given, isJson);
    const target = await openTarget(given, signal);
    try {
      const answer = await target.search(uid, request);
      if (isJson) terminal.print(answer.toString());
      else showAnswer(JSON.parse(answer.toString()), given, terminal);
    } finally {
      await target.close();
    }
  },
};

function requestOf(given: Given, isJson: boolean): Record<string, unknown> {
  const lists = {
    sort: given.list('sort'),
    attributesToRetrieve: given.list('attributes'),
    facets: given.list('facets'),
  };
  const filter = given.text('filter');
  return {
    q: given.words.slice(1).join(' '),
    limit: given.integer('limit', 10),
    offset: given.integer('offset', 0),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(filter === undefined ? {} : { filter }),
    ...(given.has('scores') ? { showRankingScore: true } : {}),
    ...(isJson
      ? {}
      : {
          attributesToHighlight: ['*'],
          highlightPreTag: MARKS.open,
          highlightPostTag: MARKS.close,
        }),
  };
}

function showAnswer(answer: Answer, given: Given, terminal: Terminal): void {
  const names = columnsOf(answer, given.list('attributes'));
  const columns = names.map((heading) => ({ heading }));
  const rows = answer.hits.map((hit) => names.map((name) => cellOf(hit, name)));
  if (rows.length > 0) printTable(terminal, columns, rows);
  const total = answer.estimatedTotalHits ?? answer.hits.length;
  terminal.print(
    terminal.dim(
      `${rows.length} of about ${shownCount(total)} hits, ${answer.processingTimeMs} ms`,
    ),
  );
  for (const [facet, counts] of Object.entries(answer.facetDistribution ?? {})) {
    terminal.print();
    const values = Object.entries(counts).map(([value, count]) => [value, shownCount(count)]);
    printTable(terminal, [{ heading: facet }, { heading: 'documents', isNumber: true }], values);
  }
}

function columnsOf({ hits }: Answer, asked: readonly string[]): string[] {
  if (asked.length > 0 && !asked.includes('*')) return scored(hits, [...asked]);
  const names = hits.flatMap((hit) => Object.keys(hit)).filter((name) => !name.startsWith('_'));
  return scored(hits, [...new Set(names)].slice(0, MAX_COLUMNS));
}

function scored(hits: Answer['hits'], names: string[]): string[] {
  return hits.some((hit) => '_rankingScore' in hit) ? ['_rankingScore', ...names] : names;
}

function cellOf(hit: Answer['hits'][number], name: string): string {
  const value = hit._formatted?.[name] ?? hit[name];
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replaceAll(/\s+/g, ' ');
}
