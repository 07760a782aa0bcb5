/** Names and values that tell the samples of a metric apart. */
export type Labels = Readonly<Record<string, string>>;

/** One value of a metric. */
export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
  /** Appended to the name of the metric, as histograms need it. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
}

/** A metric with all its samples. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

/** A gauge with one value. */
export function gauge(name: string, help: string, value: number): Family {
  return { name, help, kind: 'gauge', samples: [{ value }] };
}

/** The Prometheus text format of metrics, every name behind a prefix; empty ones are left out. */
export function expositionOf(families: readonly Family[], prefix: string): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map((family) => familyText(family, `${prefix}${family.name}`))
    .join('');
}

function familyText({ help, kind, samples }: Family, name: string): string {
  const lines = [
    `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    `# TYPE ${name} ${kind}`,
    ...samples.map(
      ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${value}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
