import { seesIndex } from '../../auth/access.js';
import { invalidKey } from '../../auth/authorize.js';
import { personalizationNotEnabled } from '../../features/feature.js';
import { freeAnswer, joinAnswer } from '../../native/answer.js';
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
import { DEFAULT_CUTOFF_MS } from '../../search/query-vector.js';
import { searchProblem } from '../../search/search-rules.js';
import { answerFederation } from '../answer-federation.js';
import { AnswerRoom } from '../answer-room.js';
import { answerSearch } from '../answer-search.js';
import { type AnyRoute, route } from '../route.js';
import { type SearchContext, searchContext, stopWhenGone } from '../search-context.js';
import type { SearchQueue } from '../search-queue.js';
import type { ReadServices } from '../services.js';

/** Several searches in one request. */
export const multiSearchRoutes = (services: ReadServices, queue: SearchQueue): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/multi-search',
    actions: ['search'],
    body: multiSearchSchema,
    handle: async (input) => {
      const { queries, federation } = input.body;
      const context = searchContext(services, queue.together(), input, stopWhenGone(input.reply));
      queries.forEach(({ indexUid }, at) => {
        if (!seesIndex(input.access, indexUid)) throw new QueryRefusal(at, invalidKey());
      });
      return federation == null
        ? separately(queries, context)
        : federated(queries, federation, context);
    },
  }),
];

/** Answers each query by itself, side by side; the first one that is refused refuses all. */
async function separately(queries: MultiSearchQuery[], context: SearchContext): Promise<Buffer> {
  const room = new AnswerRoom();
  const answers = await Promise.allSettled(
    queries.map((query, at) =>
      insideQuery(at, async () => room.hold(await separate(query, context))),
    ),
  );
  const results = answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  });
  const parts = results.flatMap((result, at) => {
    const uid = JSON.stringify(queries[at]?.indexUid);
    const open = `${at === 0 ? '' : ','}{"indexUid":${uid},`;
    return [Buffer.from(open), result.subarray(1)];
  });
  const whole = joinAnswer([Buffer.from('{"results":['), ...parts, Buffer.from(']}')]);
  for (const result of results) freeAnswer(result);
  return whole;
}

function separate(query: MultiSearchQuery, context: SearchContext): Promise<Buffer> {
  const problem = separateProblem(query);
  if (problem !== undefined) throw problem;
  const { indexUid, federationOptions: _, ...search } = query;
  return answerSearch(indexUid, search, context);
}

/** Answers all queries with one list of hits. */
async function federated(
  queries: MultiSearchQuery[],
  federation: Federation,
  context: SearchContext,
): Promise<Buffer> {
  const { offers, services, startedAt } = context;
  const { personalize } = federation;
  if (personalize != null && !offers.personalization) throw personalizationNotEnabled();
  queries.forEach((query, at) => {
    const problem =
      federatedProblem(query, federation, offers.features.network === true) ??
      searchProblem(query, offers);
    if (problem !== undefined) throw new QueryRefusal(at, problem);
  });
  const answer = await answerFederation(queries, federation, context);
  if (personalize == null || services.personalizer === undefined) return answer;
  const leftMs = DEFAULT_CUTOFF_MS - (performance.now() - startedAt);
  const q = queries.find((query) => query.q?.trim())?.q;
  services.usage.personalizedSearches += 1;
  return services.personalizer.personalize(answer, { ...personalize, q, leftMs });
}
