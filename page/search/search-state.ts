import { batch, type Signal, signal } from '@preact/signals';
import { api, Refusal, type SearchAnswer, type SearchQuery } from '../api/client.js';
import { messageOf } from '../shell/load.js';
import { filterOf, type NumberRange } from './filter.js';
import { MARK_END, MARK_START } from './marked-text.js';

const PAGE_SIZE = 20;
const CROP_WORDS = 40;

/** Facets of an answer: counts of values, and ranges of numbers. */
export type Facets = Pick<SearchAnswer, 'facetDistribution' | 'facetStats'>;

/** One search view: what is asked, and the newest answer. */
export class SearchState {
  readonly indexUid: string;
  readonly q = signal('');
  readonly sort = signal('');
  readonly expression = signal('');
  readonly chosen = signal<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  readonly ranges = signal<ReadonlyMap<string, NumberRange>>(new Map());
  readonly limit = signal(PAGE_SIZE);
  readonly answer: Signal<SearchAnswer | undefined> = signal(undefined);
  readonly facets = signal<Facets>({});
  readonly problem = signal('');
  #running = new AbortController();

  constructor(indexUid: string) {
    this.indexUid = indexUid;
  }

  /** Chooses or unchooses a value of a facet. */
  toggle(facet: string, value: string): void {
    const values = new Set(this.chosen.value.get(facet));
    if (!values.delete(value)) values.add(value);
    const next = new Map(this.chosen.value);
    if (values.size === 0) next.delete(facet);
    else next.set(facet, values);
    this.chosen.value = next;
  }

  /** Narrows a facet of numbers; an empty range removes it. */
  narrow(facet: string, range: NumberRange): void {
    const next = new Map(this.ranges.value);
    if (range.least === undefined && range.most === undefined) next.delete(facet);
    else next.set(facet, range);
    this.ranges.value = next;
  }

  /** Removes every filter. */
  clear(): void {
    batch(() => {
      this.chosen.value = new Map();
      this.ranges.value = new Map();
      this.expression.value = '';
    });
  }

  more(): void {
    this.limit.value += PAGE_SIZE;
  }

  /** Asks; an answer that a newer question has overtaken is dropped. */
  async run(): Promise<void> {
    this.#running.abort();
    const running = new AbortController();
    this.#running = running;
    const chosen = [...this.chosen.value.keys(), ...this.ranges.value.keys()];
    try {
      const { results } = await api.search(
        [this.#mainQuery(), ...chosen.map((facet) => this.#facetQuery(facet))],
        running.signal,
      );
      if (running.signal.aborted) return;
      batch(() => {
        this.answer.value = results[0];
        this.facets.value = withOwnCounts(results[0], results.slice(1));
        this.problem.value = '';
      });
    } catch (error) {
      if (running.signal.aborted) return;
      batch(() => {
        this.problem.value = messageOf(error);
        // A filter that is half typed leaves the hits; an index that is gone has none.
        if (!(error instanceof Refusal && error.code === 'index_not_found')) return;
        this.answer.value = undefined;
        this.facets.value = {};
      });
    }
  }

  #filter(except?: string) {
    const filter = filterOf(this.chosen.value, this.ranges.value, this.expression.value, except);
    return filter.length === 0 ? {} : { filter };
  }

  #mainQuery(): SearchQuery {
    return {
      indexUid: this.indexUid,
      q: this.q.value,
      limit: this.limit.value,
      facets: ['*'],
      attributesToHighlight: ['*'],
      attributesToCrop: ['*'],
      cropLength: CROP_WORDS,
      highlightPreTag: MARK_START,
      highlightPostTag: MARK_END,
      showRankingScore: true,
      showRankingScoreDetails: true,
      ...(this.sort.value === '' ? {} : { sort: [this.sort.value] }),
      ...this.#filter(),
    };
  }

  /** What a chosen facet would count without its own choice, so that its other values stay to be chosen. */
  #facetQuery(facet: string): SearchQuery {
    const { indexUid, q } = this;
    return { indexUid, q: q.value, limit: 0, facets: [facet], ...this.#filter(facet) };
  }
}

function withOwnCounts(main: SearchAnswer | undefined, own: readonly SearchAnswer[]): Facets {
  return {
    facetDistribution: Object.assign(
      {},
      main?.facetDistribution,
      ...own.map((answer) => answer.facetDistribution),
    ),
    facetStats: Object.assign({}, main?.facetStats, ...own.map((answer) => answer.facetStats)),
  };
}
