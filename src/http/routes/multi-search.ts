import { type Access, seesIndex, visibleFilter } from '../../auth/access.js';
import { invalidKey } from '../../auth/authorize.js';
import { ApiError } from '../../errors/api-error.js';
import { personalizationNotEnabled } from '../../features/feature.js';
import { engineRequest, timesBefore } from '../../search/engine-request.js';
import {
  type Federation,
  type MultiSearchQuery,
  multiSearchSchema,
} from '../../search/multi-search-request.js';
import {
  federatedProblem,
  insideQuery,
  QueryRefusal,
  separateProblem,
} from '../../search/multi-search-rules.js';
import { withQueryVector } from '../../search/query-vector.js';
import { searchProblem } from '../../search/search-rules.js';
import { includesMetadata } from '../metadata-header.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import type { SearchQueue } from '../search-queue.js';
import type { IndexReader, Services } from '../services.js';

/** Several searches in one request. */
export const multiSearchRoutes = (services: Services, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/multi-search',
    actions: ['search'],
    body: multiSearchSchema,
    handle: async ({ body: { queries, federation }, access, request }) => {
      const context = { services, queue, access, metadata: includesMetadata(request) };
      queries.forEach(({ indexUid }, at) => {
        if (!seesIndex(access, indexUid)) throw new QueryRefusal(at, invalidKey());
      });
      return federation == null
        ? separately(queries, context)
        : federated(queries, federation, context);
    },
  }),
];

interface Context {
  readonly services: Services;
  readonly queue: SearchQueue;
  readonly access: Access;
  /** Whether the sender wants to know what was asked. */
  readonly metadata: boolean;
}

/** Answers each query by itself, side by side; the first one that is refused refuses all. */
async function separately(queries: MultiSearchQuery[], context: Context): Promise<Buffer> {
  const answers = await Promise.allSettled(
    queries.map((query, at) => insideQuery(at, () => separate(query, context))),
  );
  const parts = answers.map((answer, at) => {
    if (answer.status === 'rejected') throw answer.reason;
    const uid = JSON.stringify(queries[at]?.indexUid);
    const open = `${at === 0 ? '' : ','}{"indexUid":${uid},`;
    return [Buffer.from(open), answer.value.subarray(1)];
  });
  return Buffer.concat([Buffer.from('{"results":['), ...parts.flat(), Buffer.from(']}')]);
}

async function separate(query: MultiSearchQuery, context: Context): Promise<Buffer> {
  const problem = separateProblem(query) ?? searchProblem(query);
  if (problem !== undefined) throw problem;
  const { services, queue, metadata } = context;
  const reader = await requireReader(services, query.indexUid);
  const search = await engineSearch(query, reader, context);
  const metadataOf = metadata ? { metadataOf: query.indexUid } : {};
  return queue.run((waitedMs) =>
    reader.search(JSON.stringify({ ...search, ...metadataOf, ...timesBefore(query, waitedMs) })),
  );
}

/** The search of a query as the engine takes it, with the vector of its text where it needs one. */
async function engineSearch(
  query: MultiSearchQuery,
  reader: IndexReader,
  { services, access }: Context,
): Promise<object> {
  const { indexUid, federationOptions: _, ...search } = query;
  const full = await withQueryVector(indexUid, search, reader, services.queryEmbedder);
  const filter = visibleFilter(access, indexUid, search.filter);
  return engineRequest({ ...full, filter, features: services.features.all() });
}

/** Answers all queries with one list of hits. */
async function federated(
  queries: MultiSearchQuery[],
  federation: Federation,
  context: Context,
): Promise<Buffer> {
  const { services, queue, access, metadata } = context;
  if (federation.personalize != null) throw personalizationNotEnabled();
  const isNetworkOn = services.features.all().network ?? false;
  queries.forEach((query, at) => {
    const problem = federatedProblem(query, federation, isNetworkOn) ?? searchProblem(query);
    if (problem !== undefined) throw new QueryRefusal(at, problem);
  });
  const counted = Object.keys(federation.facetsByIndex ?? {});
  const unseen = counted.find((uid) => !seesIndex(access, uid));
  if (unseen !== undefined) throw invalidKey();
  const uids = [...new Set([...queries.map(({ indexUid }) => indexUid), ...counted])];
  const request = {
    federation: withoutNulls(federation),
    queries: await Promise.all(
      queries.map((query, at) => insideQuery(at, () => federatedQuery(query, context))),
    ),
    metadata,
  };
  try {
    return await queue.run((waitedMs) => {
      const timed = { ...request.federation, ...timesBefore(federation, waitedMs) };
      const search = JSON.stringify({ ...request, federation: timed });
      return services.indexes.federatedSearch(uids, search);
    });
  } catch (error) {
    throw error instanceof ApiError && error.code === 'index_not_found'
      ? new UnknownIndex(error)
      : error;
  }
}

/** An index named in the body that does not exist makes the request wrong, not its address. */
class UnknownIndex extends ApiError {
  constructor({ code, message }: ApiError) {
    super(code, message);
  }

  override get status(): number {
    return 400;
  }
}

async function federatedQuery(query: MultiSearchQuery, context: Context): Promise<object> {
  const { indexUid, federationOptions } = query;
  const reader = await requireReader(context.services, indexUid);
  return {
    indexUid,
    weight: federationOptions?.weight ?? 1,
    queryPosition: federationOptions?.queryPosition ?? undefined,
    search: await engineSearch(query, reader, context),
  };
}

function withoutNulls({ personalize: _, ...federation }: Federation): object {
  return Object.fromEntries(Object.entries(federation).filter(([, value]) => value !== null));
}
