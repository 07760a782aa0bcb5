import { useSignal } from '@preact/signals';
import type { NumberRange } from './filter.js';
import type { SearchState } from './search-state.js';

const FEW_VALUES = 8;
const OPEN_FACETS = 4;
/** A facet of numbers with more values is narrowed by its bounds. */
const MANY_NUMBERS = 12;

/** All facets of the answer: values to choose, bounds of numbers to narrow. */
export function FacetPanel({ state }: { state: SearchState }) {
  const { facetDistribution = {}, facetStats = {} } = state.facets.value;
  const facets = Object.entries(facetDistribution)
    .map(([name, counts]) => ({ name, counts, size: Object.keys(counts).length }))
    .filter(
      ({ name, size }) => size > 0 || state.chosen.value.has(name) || state.ranges.value.has(name),
    )
    .sort((a, b) => a.size - b.size);
  return (
    <>
      {facets.map(({ name, counts, size }, at) => (
        <details key={name} class="facet" open={at < OPEN_FACETS}>
          <summary>{name}</summary>
          {facetStats[name] !== undefined &&
          (size > MANY_NUMBERS || state.ranges.value.has(name)) ? (
            <RangeFacet state={state} name={name} stats={facetStats[name]} />
          ) : (
            <ValueFacet state={state} name={name} counts={counts} />
          )}
        </details>
      ))}
    </>
  );
}

interface ValueFacetProps {
  readonly state: SearchState;
  readonly name: string;
  readonly counts: Readonly<Record<string, number>>;
}

function ValueFacet({ state, name, counts }: ValueFacetProps) {
  const showsAll = useSignal(false);
  const chosen = state.chosen.value.get(name) ?? new Set<string>();
  const gone = [...chosen]
    .filter((value) => !(value in counts))
    .map((value) => [value, 0] as const);
  const values = [...Object.entries(counts), ...gone].sort(
    (a, b) => Number(chosen.has(b[0])) - Number(chosen.has(a[0])) || b[1] - a[1],
  );
  const shown = showsAll.value ? values : values.slice(0, FEW_VALUES);
  return (
    <fieldset>
      <legend class="hidden">{name}</legend>
      {shown.map(([value, count]) => (
        <label key={value} class="choice">
          <input
            type="checkbox"
            checked={chosen.has(value)}
            onChange={() => state.toggle(name, value)}
          />
          <span class="value">{value}</span>
          <span class="number">{count.toLocaleString('en')}</span>
        </label>
      ))}
      {values.length > FEW_VALUES && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            showsAll.value = !showsAll.value;
          }}
        >
          {showsAll.value ? 'Show fewer' : `Show all ${values.length}`}
        </button>
      )}
    </fieldset>
  );
}

interface RangeFacetProps {
  readonly state: SearchState;
  readonly name: string;
  readonly stats: { readonly min: number; readonly max: number };
}

function RangeFacet({ state, name, stats }: RangeFacetProps) {
  const range: NumberRange = state.ranges.value.get(name) ?? { least: undefined, most: undefined };
  const read = (text: string): number | undefined => (text === '' ? undefined : Number(text));
  return (
    <fieldset class="range">
      <legend class="hidden">{name}</legend>
      <input
        type="number"
        step="any"
        aria-label={`${name}, at least`}
        placeholder={String(stats.min)}
        value={range.least ?? ''}
        onChange={(event) =>
          state.narrow(name, { ...range, least: read(event.currentTarget.value) })
        }
      />
      <span aria-hidden="true">to</span>
      <input
        type="number"
        step="any"
        aria-label={`${name}, at most`}
        placeholder={String(stats.max)}
        value={range.most ?? ''}
        onChange={(event) =>
          state.narrow(name, { ...range, most: read(event.currentTarget.value) })
        }
      />
    </fieldset>
  );
}
