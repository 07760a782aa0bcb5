import { type Access, visibleFilter } from '../auth/access.js';
import { type QueryEmbedder, requireMediaAllowed, withQueryVector } from './query-vector.js';
import type { SearchRequest } from './search-request.js';

const NOTHING_INSERTED = new Set(['cropMarker', 'highlightPreTag', 'highlightPostTag']);

/** What the server knows when it completes a search. */
export interface SearchSurroundings {
  readonly access: Access;
  /** Which experimental features are on. */
  readonly features: Readonly<Record<string, boolean>>;
  readonly queryEmbedder: QueryEmbedder | undefined;
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
  { access, features, queryEmbedder }: SearchSurroundings,
): Promise<object> {
  await requireMediaAllowed(request, reader, features);
  const full = await withQueryVector(indexUid, request, reader, queryEmbedder);
  const filter = visibleFilter(access, indexUid, request.filter);
  return withoutNulls({ ...full, filter, features });
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
