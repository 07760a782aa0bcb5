import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';

/** The name of the tool that searches; it is the server's own. */
export const SEARCH_TOOL = '_svcSearchInIndex';
/** The tools by which a client asks to be told of searches. */
export const REPORT_TOOLS = {
  progress: '_svcSearchProgress',
  sources: '_svcSearchSources',
  append: '_svcAppendConversationMessage',
} as const;

const toolSchema = z.looseObject({
  type: z.string(),
  function: z.looseObject({ name: z.string() }).nullish(),
});

/** Body of a completion; fields that are not named here reach the provider as they are. */
export const completionRequestSchema = z
  .looseObject({
    model: z.string(),
    messages: z.array(z.looseObject({ role: z.string() })),
    stream: z.boolean().nullish(),
    n: z.number().int().nullish(),
    tools: z.array(toolSchema).nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  })
  .meta({ id: 'ChatCompletionRequest' });

/** A completion as asked for. */
export type CompletionRequest = z.output<typeof completionRequestSchema>;

/** What a client wants to be told of beside the answer. */
export type Reports = Readonly<Record<keyof typeof REPORT_TOOLS, boolean>>;

/** Refuses what cannot be answered: other than one choice, or other than a stream. */
export function refuseUnstreamable({ stream, n }: CompletionRequest): void {
  if (n != null && n !== 1) {
    throw new ApiError(
      'unimplemented_multi_choice_chat_completions',
      `You tried to specify n = ${n} but only single choices are supported (n = 1).`,
    );
  }
  if (stream === true) return;
  throw new ApiError(
    'unimplemented_non_streaming_chat_completions',
    'Non-streamed chat completions is not implemented',
  );
}

/** The reports that the tools of a request ask for; throws for tools that cannot be run. */
export function reportsOf({ tools }: CompletionRequest): Reports {
  const names = new Set<string>((tools ?? []).map((tool) => tool.function?.name ?? tool.type));
  if (names.has(SEARCH_TOOL)) {
    throw new ApiError('bad_request', `${SEARCH_TOOL} function is already defined.`);
  }
  const known: readonly string[] = Object.values(REPORT_TOOLS);
  const external = [...names].find((name) => !known.includes(name));
  if (external !== undefined) {
    throw new ApiError(
      'unimplemented_external_function_calling',
      `${external}: External functions are not supported yet.`,
    );
  }
  return {
    progress: names.has(REPORT_TOOLS.progress),
    sources: names.has(REPORT_TOOLS.sources),
    append: names.has(REPORT_TOOLS.append),
  };
}
