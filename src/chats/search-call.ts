import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { ERROR_CODES, isErrorCode } from '../errors/codes.js';
import { renderTemplate } from '../native/template.js';
import type { SearchRequest } from '../search/search-request.js';
import { templateFields } from '../templates/template-fields.js';
import { decodeJson } from '../validation/decode-json.js';
import { type ChatIndexes, chatIndexSettings } from './chat-indexes.js';
import { SEARCH_TOOL } from './completion-request.js';
import type { ToolCall } from './tool-calls.js';

const argumentsSchema = z.object({
  index_uid: z.string(),
  q: z.string().nullish(),
  filter: z.string().nullish(),
});

/** How a call of the search tool ended. */
export interface SearchOutcome {
  /** What the model is answered. */
  readonly text: string;
  /** The documents found; absent when no search was made. */
  readonly sources?: readonly unknown[];
  /** What the client is to be told, beside the model. */
  readonly error?: ApiError;
}

/** Runs a call of the search tool. What fails is told to the model, which may then do better. */
export async function runSearchCall(
  { function: { name, arguments: text } }: ToolCall,
  indexes: ChatIndexes,
): Promise<SearchOutcome> {
  if (name !== SEARCH_TOOL) return { text: `there is no function \`${name}\`` };
  const decoded = decodeJson(argumentsSchema, Buffer.from(text));
  if ('problem' in decoded) return { text: decoded.problem.message };
  const { index_uid: uid, q, filter } = decoded.value;
  try {
    return await search(indexes, uid, {
      q: q ?? null,
      ...(filter == null || filter.trim() === '' ? {} : { filter }),
    });
  } catch (thrown) {
    const error = shownError(thrown);
    if (isOfModel(error)) return { text: error.message, sources: [] };
    return { text: `the search tool call failed with ${error.message}`, error };
  }
}

async function search(
  indexes: ChatIndexes,
  uid: string,
  asked: SearchRequest,
): Promise<SearchOutcome> {
  const { chat, searchableAttributes } = await chatIndexSettings(indexes, uid);
  const answer = await indexes.search(uid, { ...chat.searchParameters, ...asked });
  const { hits } = JSON.parse(answer.toString('utf8')) as { hits: readonly object[] };
  const fields = hits.length === 0 ? [] : await indexes.fields(uid);
  const { documentTemplate: template, documentTemplateMaxBytes: maxBytes } = chat;
  const texts: string[] = [];
  for (const document of hits) {
    const names = templateFields(document, fields, searchableAttributes);
    const rendered = await renderTemplate({ template, maxBytes, document, fields: names });
    if ('error' in rendered) {
      throw new ApiError('template_rendering_error', rendered.error.message);
    }
    texts.push(String(rendered.ok));
  }
  return { text: texts.join('\n'), sources: hits };
}

/** Errors of the engine carry a code of ours without being an `ApiError`. */
function shownError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return typeof code === 'string' && isErrorCode(code)
    ? new ApiError(code, String(message))
    : new ApiError('internal', 'An internal error has occurred.', { cause: error });
}

/** Whether the model can make it right by asking in another way. */
function isOfModel({ code }: ApiError): boolean {
  const { type, status } = ERROR_CODES[code];
  return type === 'invalid_request' && status === 400;
}
