import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { api } from '../api/client.js';
import { useLoaded } from '../shell/load.js';
import { Empty, Problem } from '../shell/notice.js';
import { hashOf } from '../shell/route.js';
import { finishedBatches } from '../tasks/watch-batches.js';
import { FacetPanel } from './facet-panel.js';
import { HitCard } from './hit-card.js';
import { moveAmongHits, useSlashKey } from './keyboard.js';
import { SearchState } from './search-state.js';
import { sortsOf } from './sorts.js';

/** Search as you type over one index. */
export function SearchView({ indexUid }: { indexUid: string }) {
  const state = useMemo(() => new SearchState(indexUid), [indexUid]);
  const input = useRef<HTMLInputElement>(null);
  const showsFacets = useSignal(false);
  const asked = useComputed(() => [
    state.q.value,
    state.sort.value,
    state.expression.value,
    state.chosen.value,
    state.ranges.value,
    state.limit.value,
    finishedBatches.value,
  ]).value;
  useEffect(() => void state.run(), [state, asked]);
  useSlashKey(input);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move the focus among hits within
    <div class="search" onKeyDown={(event) => moveAmongHits(event, input.current)}>
      <h1 class="hidden">Search {indexUid}</h1>
      <SearchBar state={state} input={input} />
      <button
        type="button"
        class="facet-switch"
        aria-expanded={showsFacets.value}
        onClick={() => {
          showsFacets.value = !showsFacets.value;
        }}
      >
        Filters
      </button>
      <div class="columns">
        <aside class={showsFacets.value ? 'facets shown' : 'facets'} aria-label="Filters">
          <FilterBox state={state} />
          <FacetPanel state={state} />
        </aside>
        <Hits state={state} />
      </div>
    </div>
  );
}

function SearchBar({
  state,
  input,
}: {
  state: SearchState;
  input: { current: HTMLInputElement | null };
}) {
  const sorts = useLoaded(() => sortsOf(state.indexUid), [state.indexUid, finishedBatches.value]);
  return (
    <search class="search-bar">
      <input
        ref={input}
        type="search"
        aria-label={`Search ${state.indexUid}`}
        aria-keyshortcuts="/"
        placeholder={`Search ${state.indexUid}`}
        autocomplete="off"
        spellcheck={false}
        value={state.q.value}
        onInput={(event) => {
          state.q.value = event.currentTarget.value;
        }}
      />
      <kbd>/</kbd>
      {(sorts.value.value?.length ?? 0) > 0 && (
        <select
          aria-label="Sort"
          value={state.sort.value}
          onChange={(event) => {
            state.sort.value = event.currentTarget.value;
          }}
        >
          <option value="">Best match first</option>
          {sorts.value.value?.map(({ rule, label }) => (
            <option key={rule} value={rule}>
              {label}
            </option>
          ))}
        </select>
      )}
    </search>
  );
}

function FilterBox({ state }: { state: SearchState }) {
  const isFiltered =
    state.chosen.value.size > 0 || state.ranges.value.size > 0 || state.expression.value !== '';
  return (
    <div class="filter-box">
      <label for="filter">Filter</label>
      <input
        id="filter"
        placeholder="year > 1990 AND …"
        autocomplete="off"
        spellcheck={false}
        value={state.expression.value}
        onChange={(event) => {
          state.expression.value = event.currentTarget.value;
        }}
      />
      {isFiltered && (
        <button type="button" class="quiet" onClick={() => state.clear()}>
          Clear all filters
        </button>
      )}
    </div>
  );
}

function Hits({ state }: { state: SearchState }) {
  const answer = state.answer.value;
  const total = answer?.estimatedTotalHits ?? 0;
  return (
    <section class="hits" aria-label="Hits">
      <Problem text={state.problem.value} />
      <p class="count" role="status">
        {answer !== undefined &&
          `${total.toLocaleString('en')} ${total === 1 ? 'hit' : 'hits'} in ${answer.processingTimeMs} ms`}
      </p>
      {answer?.hits.map((hit, at) => (
        <HitCard key={keyOf(hit, at)} hit={hit} position={at} />
      ))}
      {answer !== undefined && answer.hits.length < total && (
        <button type="button" class="more" onClick={() => state.more()}>
          Show more
        </button>
      )}
      {answer?.hits.length === 0 && state.problem.value === '' && <NoHits state={state} />}
    </section>
  );
}

/** The same hit keeps its element while one types. */
function keyOf(hit: Readonly<Record<string, unknown>>, at: number): string {
  const { id, uid, _id: third } = hit;
  const found = id ?? uid ?? third;
  return found === undefined ? `at ${at}` : `id ${String(found)}`;
}

function NoHits({ state }: { state: SearchState }) {
  const stats = useLoaded(() => api.stats(state.indexUid), [state.indexUid, finishedBatches.value]);
  if (stats.value.value?.numberOfDocuments === 0) {
    return (
      <Empty title="This index has no documents">
        <a class="button primary" href={hashOf('documents', state.indexUid)}>
          Add documents
        </a>
      </Empty>
    );
  }
  return (
    <Empty title="No document matches">
      <p>Try fewer words, or clear the filters.</p>
    </Empty>
  );
}
