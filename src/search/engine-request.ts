import { type Access, visibleFilter } from '../auth/access.js';
import type { SearchStop } from '../native/search-stop.js';
import { type QueryEmbedder, requireMediaAllowed, withQueryVector } from './query-vector.js';
import type { SearchRequest } from './search-request.js';

const NOTHING_INSERTED = new Set(['cropMarker', 'highlightPreTag', 'highlightPostTag']);

/** What the server knows when it completes a search. */
export interface SearchSurroundings {
  readonly access: Access;
  /** Which experimental features are on. */
  readonly features: Readonly<Record<string, boolean>>;
  /** The shards of the network, and whether this server holds them; absent without any. */
  readonly shards?: Readonly<Record<string, boolean>> | undefined;
  readonly queryEmbedder: QueryEmbedder | undefined;
  /** Ends the search when nobody waits for it any more. */
  readonly stop: SearchStop | undefined;
}

/** The features as the engine takes them: filters on shards need to know these. */
export function engineFeatures({
  features,
  shards,
}: Pick<SearchSurroundings, 'features' | 'shards'>): object {
  return shards === undefined ? features : { ...features, shards };
}

/** What a request spent before the engine sees it, for its answer, if that is to show it. */
export function timesBefore(
  request: { readonly showPerformanceDetails?: boolean | undefined },
  waitedMs: number,
): object {
  return request.showPerformanceDetails ? { timesBefore: { 'wait in queue': waitedMs } } : {};
}

/**
 * The search of an index as the engine takes it: with the vector that its query needs, narrowed to
 * what the sender may see.
 */
export async function engineSearch(
  indexUid: string,
  request: SearchRequest,
  reader: { settings(): Promise<string> },
  surroundings: SearchSurroundings,
): Promise<object> {
  const { access, features, queryEmbedder, stop } = surroundings;
  await requireMediaAllowed(request, reader, features);
  const full = await withQueryVector(indexUid, request, reader, { queryEmbedder, stop });
  const filter = visibleFilter(access, indexUid, request.filter);
  return withoutNulls({ ...full, filter, features: engineFeatures(surroundings) });
}

/** Nulls stand for absent fields, except that absent tags and markers insert nothing. */
function withoutNulls(request: object): object {
  if (!Object.values(request).includes(null)) return request;
  const fields = Object.entries(request).flatMap(([name, value]) => {
    if (value !== null) return [[name, value]];
    return NOTHING_INSERTED.has(name) ? [[name, '']] : [];
  });
  return Object.fromEntries(fields);
}
