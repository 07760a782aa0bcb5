import { randomUUID } from 'node:crypto';
import { REPORT_TOOLS, SEARCH_TOOL } from './completion-request.js';
import type { CompletionChunk } from './provider.js';
import type { ToolCall } from './tool-calls.js';

/** A message that a client adds to its history. */
export type HistoryMessage =
  | { readonly role: 'assistant'; readonly content: null; readonly tool_calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string };

/** Tells that a search starts. */
export function progressChunk(envelope: CompletionChunk, call: ToolCall): object {
  return reportChunk(envelope, REPORT_TOOLS.progress, {
    call_id: call.id,
    function_name: SEARCH_TOOL,
    function_arguments: call.function.arguments,
  });
}

/** Tells which documents a search found. */
export function sourcesChunk(
  envelope: CompletionChunk,
  call: ToolCall,
  sources: readonly unknown[],
): object {
  return reportChunk(envelope, REPORT_TOOLS.sources, { call_id: call.id, sources });
}

/** Asks the client to add a message to its history. */
export function appendChunk(envelope: CompletionChunk, message: HistoryMessage): object {
  return reportChunk(envelope, REPORT_TOOLS.append, message);
}

/** A chunk like those of the provider, but with a call of one of the client's own tools. */
function reportChunk(envelope: CompletionChunk, name: string, value: object): object {
  const { choices: _, usage, ...kept } = envelope;
  const call = {
    index: 0,
    id: randomUUID(),
    type: 'function',
    function: { name, arguments: JSON.stringify(value) },
  };
  const delta = { role: 'assistant', tool_calls: [call] };
  return {
    ...kept,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...(usage === undefined ? {} : { usage: null }),
  };
}
