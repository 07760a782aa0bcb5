import { type Access, visibleFilter } from '../auth/access.js';
import type { SearchStop } from '../native/search-stop.js';
import { foreignIndexes, type OpenFolder } from './foreign-indexes.js';
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
  /** Opens what foreign keys lead to; absent where they are not followed. */
  readonly openFolder?: OpenFolder | undefined;
  readonly queryEmbedder: QueryEmbedder | undefined;
  /** Ends the search when nobody waits for it any more. */
  readonly stop: SearchStop | undefined;
}

/** What completing a search needs of its index. */
export interface SearchedReader {
  settingsWithoutWords(): Promise<string>;
  /** The uids of the indexes that its foreign keys lead to. */
  foreignUids(): readonly string[];
}

/** What the engine is told of a state of the features, made once for each. */
const enabledFeatures = new WeakMap<object, object | undefined>();

/**
 * The features as the engine takes them: those that are on, and the shards that filters need to
 * know; `undefined` without any.
 */
export function engineFeatures({
  features,
  shards,
}: Pick<SearchSurroundings, 'features' | 'shards'>): object | undefined {
  if (!enabledFeatures.has(features)) {
    const on = Object.entries(features).filter(([, isOn]) => isOn);
    enabledFeatures.set(features, on.length === 0 ? undefined : Object.fromEntries(on));
  }
  const on = enabledFeatures.get(features);
  return shards === undefined ? on : { ...on, shards };
}

function hasNulls(request: Readonly<Record<string, unknown>>): boolean {
  for (const name in request) if (request[name] === null) return true;
  return false;
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
 * what the sender may see. Most requests are that already, and are given back as they are.
 */
export async function engineSearch(
  indexUid: string,
  request: SearchRequest,
  reader: SearchedReader,
  surroundings: SearchSurroundings,
): Promise<Readonly<Record<string, unknown>>> {
  const full =
    request.hybrid == null ? request : await withVector(indexUid, request, reader, surroundings);
  const filter = visibleFilter(surroundings.access, indexUid, full.filter);
  const features = engineFeatures(surroundings);
  const isComplete = filter === full.filter && features === undefined;
  if (isComplete) return withoutNulls(full);
  const { access, openFolder } = surroundings;
  if (openFolder === undefined) return withoutNulls({ ...full, filter, features });
  const foreign = await foreignIndexes(reader.foreignUids(), access, openFolder);
  return withoutNulls({ ...full, filter, features, foreign });
}

/** The request with its vector, if it may have one. */
async function withVector(
  indexUid: string,
  request: SearchRequest,
  reader: { settingsWithoutWords(): Promise<string> },
  { features, queryEmbedder, stop }: SearchSurroundings,
): Promise<SearchRequest> {
  await requireMediaAllowed(request, reader, features);
  return withQueryVector(indexUid, request, reader, { queryEmbedder, stop });
}

/** Nulls stand for absent fields, except that absent tags and markers insert nothing. */
function withoutNulls(
  request: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (!hasNulls(request)) return request;
  const fields = Object.entries(request).flatMap(([name, value]) => {
    if (value !== null) return [[name, value]];
    return NOTHING_INSERTED.has(name) ? [[name, '']] : [];
  });
  return Object.fromEntries(fields);
}
