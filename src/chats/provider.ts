import { reasonWithCause } from '../errors/error-reason.js';
import { startOfBody } from '../outgoing/bounded-body.js';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import { maskSecret } from '../settings/mask-secret.js';
import type { ChatSettings } from './chat-settings.js';
import { describedError, ProviderError } from './provider-error.js';
import { eventData } from './sse-reader.js';

/** One chunk of a streamed completion, with what the server looks at. */
export interface CompletionChunk {
  readonly model?: string;
  readonly choices?: readonly {
    readonly delta?: { readonly tool_calls?: readonly ToolCallDelta[] | null } | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: Usage | null;
}

/** A piece of a tool call; pieces of one call have one index. */
export interface ToolCallDelta {
  readonly index?: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null;
}

/** Tokens of one request to a provider. */
export interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
}

/** A part of what a provider answers: a chunk, and the JSON it came as. */
export interface ReceivedChunk {
  readonly chunk: CompletionChunk;
  readonly json: string;
}

/** Sends requests to providers; the `fetch` of the platform, or one that guards addresses. */
export type SendToProvider = typeof fetch;

const OPEN_AI_URL = 'https://api.openai.com/v1/';
const MISTRAL_URL = 'https://api.mistral.ai/v1/';
/** Older families of models know system messages, newer ones messages of developers. */
const SYSTEM_MODELS = /^(chatgpt-4o|gpt-3\.5|gpt-4(?!\d))/;
/** Bytes of the body of a refusal that are read. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** The role of the message that tells a model how to behave. */
export function instructionRole({ source }: ChatSettings, model: string): 'developer' | 'system' {
  const isOpenAi = source === 'openAi' || source === 'azureOpenAi';
  return isOpenAi && !SYSTEM_MODELS.test(model) ? 'developer' : 'system';
}

/** Whether a provider tells of tokens when it is asked to. */
export function countsTokens({ source }: ChatSettings): boolean {
  return source === 'openAi' || source === 'azureOpenAi';
}

/** The chunks that a provider answers a request with; throws a `ProviderError`. */
export async function* completionChunks(
  settings: ChatSettings,
  body: object,
  send: SendToProvider,
  signal: AbortSignal,
): AsyncGenerator<ReceivedChunk> {
  const response = await answerOf(settings, body, send, signal);
  let isFinished = false;
  try {
    for await (const data of eventData(bytesOf(response))) {
      if (data === '[DONE]') return;
      if (data === '') continue;
      const chunk = readChunk(data, settings);
      isFinished ||= chunk.choices?.some((one) => one.finish_reason != null) ?? false;
      yield { chunk, json: data };
    }
  } catch (error) {
    throw error instanceof ProviderError ? error : transportError(error, settings);
  }
  if (!isFinished) throw new ProviderError('stream_ended', 'the provider ended its answer early');
}

async function answerOf(
  settings: ChatSettings,
  body: object,
  send: SendToProvider,
  signal: AbortSignal,
): Promise<Response> {
  const url = completionUrl(settings);
  const headers = {
    ...authorization(settings),
    'content-type': 'application/json',
    accept: 'text/event-stream',
  };
  let response: Response;
  try {
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal };
    // A redirect would take the key elsewhere.
    response = await send(url, { ...request, redirect: 'error' });
  } catch (error) {
    throw transportError(error, settings);
  }
  if (response.ok) return response;
  throw await refusal(response, settings);
}

function completionUrl({ source, baseUrl, deploymentId, apiVersion }: ChatSettings): URL {
  const base = baseUrl || (source === 'mistral' ? MISTRAL_URL : OPEN_AI_URL);
  const lead = base.replace(/\/+$/, '');
  try {
    if (source !== 'azureOpenAi') return new URL(`${lead}/chat/completions`);
    const url = new URL(
      `${lead}/openai/deployments/${encodeURIComponent(deploymentId ?? '')}/chat/completions`,
    );
    url.searchParams.set('api-version', apiVersion ?? '');
    return url;
  } catch {
    throw new ProviderError('invalid_argument', `\`baseUrl\` is no URL: \`${base}\``);
  }
}

function authorization({ source, apiKey, orgId, projectId }: ChatSettings) {
  if (source === 'azureOpenAi') return apiKey === null ? {} : { 'api-key': apiKey };
  return {
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(source !== 'openAi' || orgId === null ? {} : { 'openai-organization': orgId }),
    ...(source !== 'openAi' || projectId === null ? {} : { 'openai-project': projectId }),
  };
}

async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  // The types of the platform do not say that streams can be walked.
  if (body !== null) yield* body as unknown as AsyncIterable<Uint8Array>;
}

function readChunk(data: string, settings: ChatSettings): CompletionChunk {
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch (error) {
    throw new ProviderError('json_deserialize_error', hidden((error as Error).message, settings));
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ProviderError('json_deserialize_error', 'a chunk of the provider is no object');
  }
  const chunk = json as CompletionChunk & { readonly error?: unknown };
  const error =
    chunk.error != null || !Array.isArray(chunk.choices) ? describedError(json) : undefined;
  if (error !== undefined) throw withoutSecret(error, settings);
  return Array.isArray(chunk.choices) ? chunk : { ...chunk, choices: [] };
}

async function refusal(response: Response, settings: ChatSettings): Promise<ProviderError> {
  const text = await startOfBody(response, MAX_REFUSAL_BYTES, 'keep what came');
  const code = String(response.status);
  const error =
    describedError(parsed(text), response.status) ??
    new ProviderError('response_error', text || `the provider answered ${code}`, { code });
  return withoutSecret(error, settings);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function transportError(error: unknown, settings: ChatSettings): ProviderError {
  const type = error instanceof RejectedIpError ? 'reqwest_error' : 'transport_error';
  return new ProviderError(type, hidden(reasonWithCause(error), settings));
}

/** Providers may repeat the key that they refuse. */
function withoutSecret(error: ProviderError, settings: ChatSettings): ProviderError {
  error.message = hidden(error.message, settings);
  return error;
}

function hidden(text: string, { apiKey }: ChatSettings): string {
  return apiKey === null || apiKey === '' ? text : text.replaceAll(apiKey, maskSecret(apiKey));
}
