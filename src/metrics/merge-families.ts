import type { Family, Sample } from './exposition.js';

/** What several have counted, as one: samples of the same name and labels are added up. */
export function mergeFamilies(counted: readonly (readonly Family[])[]): Family[] {
  const merged = new Map<string, { family: Family; samples: Map<string, Sample> }>();
  for (const family of counted.flat()) {
    const known = merged.get(family.name) ?? { family, samples: new Map() };
    merged.set(family.name, known);
    for (const sample of family.samples) add(known.samples, sample);
  }
  return [...merged.values()].map(({ family, samples }) => ({
    ...family,
    samples: [...samples.values()],
  }));
}

function add(samples: Map<string, Sample>, sample: Sample): void {
  const key = JSON.stringify([sample.suffix, sample.labels]);
  const value = (samples.get(key)?.value ?? 0) + sample.value;
  samples.set(key, { ...sample, value });
}
