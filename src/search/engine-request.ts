import type { SearchRequest } from './search-request.js';

const NOTHING_INSERTED = new Set(['cropMarker', 'highlightPreTag', 'highlightPostTag']);

/** A search with what the server adds to it. */
export interface EngineSearch extends SearchRequest {
  /** Which experimental features are on. */
  features: object;
  /** Uid of the index, when the answer is to say what was asked of it. */
  metadataOf?: string;
}

/** What a request spent before the engine sees it, for its answer, if that is to show it. */
export function timesBefore(
  request: { readonly showPerformanceDetails?: boolean | undefined },
  waitedMs: number,
): object {
  return request.showPerformanceDetails ? { timesBefore: { 'wait in queue': waitedMs } } : {};
}

/**
 * The search that the engine takes: nulls stand for absent fields, except that absent tags and
 * markers insert nothing.
 */
export function engineRequest(request: EngineSearch): object {
  if (!Object.values(request).includes(null)) return request;
  const fields = Object.entries(request).flatMap(([name, value]) => {
    if (value !== null) return [[name, value]];
    return NOTHING_INSERTED.has(name) ? [[name, '']] : [];
  });
  return Object.fromEntries(fields);
}
