import type { Family, Sample } from './exposition.js';
import { LabelledCounter } from './labelled-counter.js';

/** Upper bounds of the buckets of response times, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

interface Histogram {
  readonly method: string;
  readonly path: string;
  /** How many fell into each bucket, the last one without a bound. */
  readonly counts: Uint32Array;
  sum: number;
}

/** Counts and times answers by route. Paths are patterns, so there are as many as routes. */
export class RequestMetrics {
  readonly #total = new LabelledCounter('http_requests_total', 'HTTP requests answered');
  readonly #histograms = new Map<string, Histogram>();

  /** Counts an answer; `path` is the pattern of its route. */
  observe(method: string, path: string, status: number, seconds: number): void {
    this.#total.add({ method, path, status: String(status) });
    const key = `${method} ${path}`;
    let histogram = this.#histograms.get(key);
    if (histogram === undefined) {
      histogram = { method, path, counts: new Uint32Array(BOUNDS.length + 1), sum: 0 };
      this.#histograms.set(key, histogram);
    }
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    const at = bucket === -1 ? BOUNDS.length : bucket;
    histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
    histogram.sum += seconds;
  }

  /** The counts and times so far. */
  families(): Family[] {
    return [
      this.#total.family(),
      {
        name: 'http_response_time_seconds',
        help: 'HTTP response times in seconds',
        kind: 'histogram',
        samples: [...this.#histograms.values()].flatMap(histogramSamples),
      },
    ];
  }
}

function histogramSamples({ method, path, counts, sum }: Histogram): Sample[] {
  let total = 0;
  const buckets = [...counts].map((count, at): Sample => {
    total += count;
    const le = at < BOUNDS.length ? String(BOUNDS[at]) : '+Inf';
    return { suffix: '_bucket', labels: { method, path, le }, value: total };
  });
  const labels = { method, path };
  return [
    ...buckets,
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: total },
  ];
}
