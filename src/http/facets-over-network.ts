import * as z from 'zod';
import { type ErrorBody, errorBody } from '../errors/api-error.js';
import { neededRemotes } from '../network/needed-remotes.js';
import type { RemoteAnswer } from '../network/remote-searcher.js';
import { type FacetHit, type FacetListing, mergeFacetHits } from '../search/merge-facet-hits.js';
import { askServers, nothingAsked } from './ask-servers.js';
import type { SearchContext } from './search-context.js';
import type { IndexReader } from './services.js';

/** Values that are listed when the settings do not say. */
const DEFAULT_MAX_VALUES = 100;

const answerSchema = z.looseObject({
  facetHits: z.array(z.looseObject({ value: z.string(), count: z.number() })),
});

/** A search for facet values, as other servers are asked. */
interface FacetSearch {
  readonly indexUid: string;
  readonly facetName: string;
  /** The body as sent, narrowed to what may be seen. */
  readonly body: object;
}

/** Adds what the other servers of the network find to what this one does. */
export async function facetsOverNetwork(
  { indexUid, facetName, body }: FacetSearch,
  here: () => Promise<Buffer>,
  reader: IndexReader,
  { services, stop, startedAt }: SearchContext,
): Promise<object> {
  const { network, remotes } = services;
  const unwanted = new AbortController();
  const signal = AbortSignal.any([unwanted.signal, stop.signal]);
  const path = `/indexes/${indexUid}/facet-search`;
  const remoteErrors: Record<string, ErrorBody> = {};
  const found = new Map<string, readonly FacetHit[]>();
  const ask = async (remote: string): Promise<boolean> => {
    const hits = hitsOf(await remotes.ask({ remote, path, body, metadata: false, signal }));
    if (Array.isArray(hits)) found.set(remote, hits);
    else remoteErrors[remote] = hits as ErrorBody;
    return Array.isArray(hits);
  };
  try {
    const first = neededRemotes(network.current, nothingAsked(network));
    const [answer] = await Promise.all([here(), askServers(network, first, ask)]);
    const local: { facetHits: FacetHit[]; facetQuery: string | null } = JSON.parse(
      answer.toString(),
    );
    const others = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, hits]) => hits);
    const listing = listingOf(await reader.settingsWithoutWords(), facetName);
    return {
      facetHits: mergeFacetHits([local.facetHits, ...others], listing),
      facetQuery: local.facetQuery,
      processingTimeMs: Math.round(performance.now() - startedAt),
      remoteErrors,
    };
  } finally {
    // A refusal here answers for all.
    unwanted.abort();
  }
}

/** The values of an answer, or the error that stands for them. */
function hitsOf(answer: RemoteAnswer): readonly FacetHit[] | ErrorBody {
  if ('error' in answer) return answer.error;
  try {
    return answerSchema.parse(JSON.parse(answer.answer.toString())).facetHits;
  } catch {
    return errorBody(
      'remote_bad_response',
      'could not parse response from the remote host as a facet search response',
    );
  }
}

/** How the settings of this server list the values of a facet. */
function listingOf(settings: string, facetName: string): FacetListing {
  const { faceting }: { faceting?: { maxValuesPerFacet?: number; sortFacetValuesBy?: object } } =
    JSON.parse(settings);
  const orders = new Map<string, string>(Object.entries(faceting?.sortFacetValuesBy ?? {}));
  const order = orders.get(facetName) ?? orders.get('*');
  return {
    order: order === 'count' ? 'count' : 'alpha',
    max: faceting?.maxValuesPerFacet ?? DEFAULT_MAX_VALUES,
  };
}
