import { visibleFilter } from '../auth/access.js';
import { type ErrorBody, errorBody } from '../errors/api-error.js';
import { gatherAnswers } from '../native/answer.js';
import type { Federation, MultiSearchQuery } from '../search/multi-search-request.js';
import { insideQuery } from '../search/multi-search-rules.js';
import { type PlannedQuery, partFederation } from '../search/network-plan.js';
import { askServers } from './ask-servers.js';
import { engineQuery, givenFields, searchHere } from './engine-federation.js';
import type { SearchContext } from './search-context.js';

/** The answer of a server to its queries, given by their places in the plan. */
interface Part {
  readonly remote: string | undefined;
  readonly queries: readonly number[];
  readonly answer: Buffer;
}

/** One list of hits from several servers: all search at once, the engine puts it together. */
export async function answerOverNetwork(
  planned: readonly PlannedQuery[],
  federation: Federation,
  context: SearchContext,
  asSearch: boolean,
): Promise<Buffer> {
  const { services, queue, metadata, startedAt, stop } = context;
  const plan = [...planned];
  const unwanted = new AbortController();
  const signal = AbortSignal.any([unwanted.signal, stop.signal]);
  const remoteErrors: Record<string, ErrorBody> = {};
  const given: Part[] = [];
  const askFor = async (remote: string, queries: readonly number[]): Promise<boolean> => {
    const body = remoteBody(plan, queries, federation, context);
    const call = { remote, path: '/multi-search', body, metadata, signal };
    const answer = await services.remotes.ask(call);
    if ('answer' in answer) given.push({ remote, queries, ...answer });
    else remoteErrors[remote] = answer.error;
    return 'answer' in answer;
  };
  const spread = spreadRemotes(planned);
  const named = byRemote(planned).filter(([remote]) => !spread.includes(remote));
  try {
    const [local] = await Promise.all([
      localPart(planned, federation, context, asSearch),
      askServers(services.network, spread, (remote) => askFor(remote, placesFor(remote, plan))),
      ...named.map(([remote, queries]) => askFor(remote, queries)),
    ]);
    if (local !== undefined) given.push(local);
  } finally {
    // A refusal here answers for all.
    unwanted.abort();
  }
  given.sort((a, b) => (a.queries[0] ?? 0) - (b.queries[0] ?? 0));
  const request = {
    federation: givenFields(federation),
    queries: plan.map(({ query: { indexUid, q }, position, remote }) => ({
      indexUid,
      q,
      position,
      remote,
    })),
    parts: given.map(({ remote, queries }) => ({ remote, queries })),
    metadata,
    asSearch,
    marksPins: federation.personalize != null,
    remoteErrors,
    badResponse: errorBody('remote_bad_response', ''),
    elapsedMs: performance.now() - startedAt,
  };
  const answers = given.map(({ answer }) => answer);
  return queue.run(() => gatherAnswers(request, answers), stop);
}

/** Names of the servers that queries over the network go to. */
function spreadRemotes(plan: readonly PlannedQuery[]): string[] {
  const spread = plan.filter(({ query, isLocal }) => query.useNetwork === true && !isLocal);
  return [...new Set(spread.flatMap(({ remote }) => remote ?? []))].sort();
}

/**
 * The places of what a server is asked. One that stands in for another gets the queries over the
 * network, which are added to the plan.
 */
function placesFor(remote: string, plan: PlannedQuery[]): number[] {
  const known = byRemote(plan).find(([name]) => name === remote)?.[1] ?? [];
  if (known.some((at) => plan[at]?.query.useNetwork === true)) return known;
  const spread = plan.filter(({ query, isLocal }) => query.useNetwork === true && isLocal);
  const first = plan.length;
  for (const { query, position } of spread) plan.push({ query, position, remote, isLocal: false });
  return spread.map((_, at) => first + at);
}

/** Queries of other servers by name. */
function byRemote(plan: readonly PlannedQuery[]): [remote: string, queries: number[]][] {
  const queries = new Map<string, number[]>();
  plan.forEach(({ remote, isLocal }, at) => {
    if (isLocal || remote === undefined) return;
    queries.set(remote, [...(queries.get(remote) ?? []), at]);
  });
  return [...queries].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What another server is asked: the queries as they were sent, narrowed to what may be seen. */
function remoteBody(
  plan: readonly PlannedQuery[],
  places: readonly number[],
  federation: Federation,
  { access }: SearchContext,
): object {
  const planned = places.flatMap((at) => plan[at] ?? []);
  const queries = planned.map(
    ({ query: { useNetwork: _, federationOptions, ...query }, position }) => ({
      ...query,
      filter: visibleFilter(access, query.indexUid, query.filter),
      federationOptions: { weight: federationOptions?.weight ?? 1, queryPosition: position },
    }),
  );
  const uids = new Set(queries.map(({ indexUid }) => indexUid));
  return { federation: partFederation(federation, uids), queries };
}

/** What this server finds; `undefined` when nothing is asked of it. */
async function localPart(
  plan: readonly PlannedQuery[],
  federation: Federation,
  context: SearchContext,
  asSearch: boolean,
): Promise<Part | undefined> {
  const places = plan.flatMap(({ isLocal }, at) => (isLocal ? [at] : []));
  const elsewhere = new Set(
    plan.flatMap(({ isLocal, query: { indexUid } }) => (isLocal ? [] : [indexUid])),
  );
  const here = places.flatMap((at) => plan[at] ?? []);
  const uids = new Set(here.map(({ query: { indexUid } }) => indexUid));
  const counted = Object.keys(federation.facetsByIndex ?? {});
  for (const uid of counted) if (!elsewhere.has(uid)) uids.add(uid);
  if (uids.size === 0) return undefined;
  const { mergeFacets } = federation;
  const request = {
    federation: {
      ...partFederation(federation, uids),
      ...(mergeFacets == null ? {} : { mergeFacets }),
    },
    queries: await Promise.all(here.map((planned) => localQuery(planned, context, asSearch))),
    metadata: context.metadata,
    isPart: true,
    asSearch,
  };
  const answer = await searchHere([...uids], request, context);
  return { remote: here[0]?.remote, queries: places, answer };
}

function localQuery(
  { query, position }: PlannedQuery,
  context: SearchContext,
  asSearch: boolean,
): Promise<object> {
  const make = async (): Promise<object> => {
    const { useNetwork: _, ...asked }: MultiSearchQuery = query;
    // No server follows foreign keys here: others do not know what the sender may see.
    const alone = { ...context, openFolder: undefined };
    return { ...(await engineQuery(asked, alone)), queryPosition: position };
  };
  return asSearch ? make() : insideQuery(position, make);
}
