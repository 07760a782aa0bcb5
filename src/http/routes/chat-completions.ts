import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Access, indexRefusal, seesIndex } from '../../auth/access.js';
import type { ChatIndexes } from '../../chats/chat-indexes.js';
import { completionRequestSchema, refuseUnstreamable } from '../../chats/completion-request.js';
import { openConversation } from '../../chats/conversation.js';
import type { Usage } from '../../chats/provider.js';
import { ApiError } from '../../errors/api-error.js';
import { requireFeature } from '../../features/feature.js';
import type { Logs } from '../../logs/logs.js';
import type { SearchStop } from '../../native/search-stop.js';
import { answerSearch } from '../answer-search.js';
import { accessTo, type Keys } from '../authenticate.js';
import { RawAnswer } from '../raw-answer.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import { searchContext, stopWhenGone } from '../search-context.js';
import type { SearchQueue } from '../search-queue.js';
import type { IndexReader, Services } from '../services.js';
import { workspaceOf } from './chats.js';

/** Bytes of events that are made ahead of a slow client. */
const HELD_BYTES = 16 * 1024;

/** Answering questions from the documents of the indexes that the sender may see. */
export const chatCompletionRoutes = (
  services: Services,
  queue: SearchQueue,
  keys: Keys | undefined,
  logs: Logs,
): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/chats/:workspaceUid/chat/completions',
    actions: ['chatCompletions'],
    body: completionRequestSchema,
    handle: async ({ params, body, access, request, reply }) => {
      requireFeature(
        services.features.all(),
        'chatCompletions',
        'using the /chats chat completions route',
      );
      refuseUnstreamable(body);
      const workspace = workspaceOf(params);
      // Keys change while a chat goes on: each search asks anew what its sender may do.
      const stop = stopWhenGone(reply);
      const searchAccess = () => accessTo(request, keys, ['search']);
      const events = await openConversation({
        settings: services.chats.settings(workspace),
        request: body,
        indexes: chatIndexes(services, queue, { access, request, stop }, searchAccess),
        send: services.sendToProvider,
        signal: stop.signal,
        onSearch: () => services.usage.chatSearches.add({ type: 'internal' }),
        onUsage: (usage) => countTokens(services, { workspace, model: body.model }, usage),
        onFailure: (error) =>
          logs.log('error', 'http', 'a chat failed unexpectedly', { err: error }),
      });
      reply.header('x-accel-buffering', 'no').header('cache-control', 'no-cache');
      const options = { objectMode: false, highWaterMark: HELD_BYTES };
      return new RawAnswer(Readable.from(events, options), 'text/event-stream');
    },
  }),
];

/** Who asks, and what ends the searches of the chat. */
interface Asked {
  readonly access: Access;
  readonly request: FastifyRequest;
  readonly stop: SearchStop;
}

function chatIndexes(
  services: Services,
  queue: SearchQueue,
  { access, request, stop }: Asked,
  searchAccess: () => Access,
): ChatIndexes {
  const open = (uid: string): Promise<IndexReader> => {
    refuseUnseen(access, uid);
    return requireReader(services, uid);
  };
  return {
    async visible() {
      const { results } = await services.indexes.list(0, Number.MAX_SAFE_INTEGER);
      return results.map(({ uid }) => uid).filter((uid) => seesIndex(access, uid));
    },
    async search(uid, search) {
      const now = searchAccess();
      refuseUnseen(now, uid);
      const context = searchContext(services, queue, { access: now, request }, stop);
      return answerSearch(uid, search, context);
    },
    settings: async (uid) => (await open(uid)).settingsWithoutWords(),
    fields: async (uid) => Object.keys((await (await open(uid)).stats()).fieldDistribution),
  };
}

function refuseUnseen(access: Access, uid: string): void {
  const refusal = indexRefusal(access, uid);
  if (refusal !== undefined) throw new ApiError('invalid_api_key', refusal);
}

function countTokens(
  { usage }: Services,
  labels: { readonly workspace: string; readonly model: string },
  { prompt_tokens = 0, completion_tokens = 0, total_tokens = 0 }: Usage,
): void {
  usage.chatPromptTokens.add(labels, prompt_tokens);
  usage.chatCompletionTokens.add(labels, completion_tokens);
  usage.chatTokens.add(labels, total_tokens);
}
