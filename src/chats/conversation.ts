import { ApiError } from '../errors/api-error.js';
import { type ChatIndexes, describedIndexes } from './chat-indexes.js';
import type { ChatSettings } from './chat-settings.js';
import { type CompletionRequest, type Reports, reportsOf } from './completion-request.js';
import {
  type CompletionChunk,
  completionChunks,
  countsTokens,
  instructionRole,
  type SendToProvider,
  type Usage,
} from './provider.js';
import { errorEvent, ProviderError } from './provider-error.js';
import { appendChunk, type HistoryMessage, progressChunk, sourcesChunk } from './report-chunks.js';
import { runSearchCall } from './search-call.js';
import { searchTool } from './search-tool.js';
import { type ToolCall, ToolCalls } from './tool-calls.js';

/** Requests to the provider for one completion at the most. */
const MAX_ROUNDS = 20;
/** Milliseconds after which clients that lost the stream may come back. */
const RETRY_MS = 10_000;
const DONE = 'data: [DONE]\n\n';
/** Ends of an answer that leave the calls in it incomplete. */
const CUT_OFF: ReadonlySet<unknown> = new Set(['length', 'content_filter']);

/** What a conversation is made of. */
export interface ConversationParts {
  readonly settings: ChatSettings;
  readonly request: CompletionRequest;
  readonly indexes: ChatIndexes;
  readonly send: SendToProvider;
  /** Aborted when nobody listens any more. */
  readonly signal: AbortSignal;
  readonly onSearch: () => void;
  readonly onUsage: (usage: Usage) => void;
  /** Hears of what should not happen. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Answers a completion as server-sent events. What can be refused is refused by throwing; later
 * errors are events. The next event is made when the one before was taken, so a slow client slows
 * the provider, and memory holds one event and the messages.
 */
export async function openConversation(parts: ConversationParts): Promise<AsyncGenerator<string>> {
  const reports = reportsOf(parts.request);
  const indexes = await describedIndexes(parts.indexes);
  const { settings, request } = parts;
  const { tools: _, messages, ...kept } = request;
  const role = instructionRole(settings, request.model);
  const body = {
    ...kept,
    stream: true,
    ...(countsTokens(settings)
      ? { stream_options: { ...request.stream_options, include_usage: true } }
      : {}),
    // Providers refuse a choice among no indexes.
    ...(indexes.length === 0 ? {} : { tools: [searchTool(settings.prompts, indexes)] }),
  };
  const history = [{ role, content: settings.prompts.system }, ...messages];
  return new Conversation(parts, reports, body, history).events();
}

class Conversation {
  readonly #parts: ConversationParts;
  readonly #reports: Reports;
  readonly #body: object;
  readonly #messages: object[];
  readonly #spent = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

  constructor(parts: ConversationParts, reports: Reports, body: object, messages: object[]) {
    this.#parts = parts;
    this.#reports = reports;
    this.#body = body;
    this.#messages = messages;
  }

  async *events(): AsyncGenerator<string> {
    const { signal, onFailure } = this.#parts;
    yield `retry: ${RETRY_MS}\n\n`;
    try {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        if (!(yield* this.#round()) || signal.aborted) break;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ProviderError)) onFailure(error);
      const shown =
        error instanceof ProviderError
          ? error
          : new ApiError('internal', 'An internal error has occurred.');
      yield event(errorEvent(shown));
    }
    yield DONE;
  }

  /** One request to the provider; whether the model is to go on with what its calls found. */
  async *#round(): AsyncGenerator<string, boolean> {
    const { settings, send, signal } = this.#parts;
    const body = { ...this.#body, messages: this.#messages };
    const calls = new ToolCalls();
    let last: CompletionChunk = {};
    let usage: CompletionChunk | undefined;
    let hasCalled = false;
    for await (const { chunk, json } of completionChunks(settings, body, send, signal)) {
      if (chunk.usage != null) this.#count(chunk.usage);
      const choice = chunk.choices?.[0];
      if (choice === undefined) {
        if (chunk.usage == null) continue;
        usage = chunk;
        break;
      }
      last = chunk;
      const deltas = choice.delta?.tool_calls ?? [];
      if (deltas.length > 0) {
        calls.add(deltas);
        continue;
      }
      const isCutOff = CUT_OFF.has(choice.finish_reason);
      if (isCutOff) calls.take();
      if (calls.size > 0) {
        hasCalled = true;
        yield* this.#execute(calls.take(), chunk);
      } else if (!hasCalled || isCutOff || choice.finish_reason == null) {
        yield forwarded(chunk, json);
      }
    }
    // Some providers send the calls and the end of the answer in one chunk.
    if (calls.size > 0) {
      hasCalled = true;
      yield* this.#execute(calls.take(), last);
    }
    const goesOn = hasCalled && !CUT_OFF.has(last.choices?.[0]?.finish_reason);
    if (!goesOn && usage !== undefined && this.#wantsUsage()) {
      yield event({ ...usage, usage: { ...usage.usage, ...this.#spent } });
    }
    return goesOn;
  }

  async *#execute(calls: readonly ToolCall[], envelope: CompletionChunk): AsyncGenerator<string> {
    const { indexes, signal, onSearch, onFailure } = this.#parts;
    const { progress, append, sources } = this.#reports;
    this.#messages.push({ role: 'assistant', content: null, tool_calls: calls });
    for (const call of calls) {
      if (signal.aborted) return;
      if (progress) yield event(progressChunk(envelope, call));
      if (append) {
        const message: HistoryMessage = { role: 'assistant', content: null, tool_calls: [call] };
        yield event(appendChunk(envelope, message));
      }
      onSearch();
      const outcome = await runSearchCall(call, indexes);
      if (sources && outcome.sources !== undefined) {
        yield event(sourcesChunk(envelope, call, outcome.sources));
      }
      const answer: HistoryMessage = {
        role: 'tool',
        content: outcome.text,
        tool_call_id: call.id,
      };
      this.#messages.push(answer);
      if (append) yield event(appendChunk(envelope, answer));
      if (outcome.error !== undefined) {
        if (outcome.error.code === 'internal') onFailure(outcome.error.cause);
        yield event(errorEvent(outcome.error));
      }
    }
  }

  #count(usage: Usage): void {
    this.#parts.onUsage(usage);
    for (const name of ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const) {
      this.#spent[name] += usage[name] ?? 0;
    }
  }

  #wantsUsage(): boolean {
    return this.#parts.request.stream_options?.include_usage === true;
  }
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A chunk as it came; JSON of several lines would be several fields of an event. */
function forwarded(chunk: CompletionChunk, json: string): string {
  return /[\r\n]/.test(json) ? event(chunk) : `data: ${json}\n\n`;
}
