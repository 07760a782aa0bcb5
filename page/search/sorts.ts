import { api } from '../api/client.js';

/** A way to sort hits. */
export interface Sort {
  readonly rule: string;
  readonly label: string;
}

/** Both directions of every sortable attribute; none where the key may not read settings. */
export async function sortsOf(indexUid: string): Promise<Sort[]> {
  const [settings, stats] = await Promise.all([
    api.settings(indexUid).catch(() => undefined),
    api.stats(indexUid).catch(() => undefined),
  ]);
  const sortable = (settings?.sortableAttributes ?? []) as string[];
  const names = sortable.includes('*') ? Object.keys(stats?.fieldDistribution ?? {}) : sortable;
  return names
    .filter((name) => name !== '_geo')
    .flatMap((name) => [
      { rule: `${name}:asc`, label: `${name}, ascending` },
      { rule: `${name}:desc`, label: `${name}, descending` },
    ]);
}
