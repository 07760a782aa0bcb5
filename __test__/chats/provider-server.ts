import type { IncomingMessage, ServerResponse } from 'node:http';
import { loopbackService } from '../loopback-service.js';

/** What a provider was asked. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly model: string;
    readonly messages: readonly { role: string; content: string; tool_call_id?: string }[];
    readonly tools?: readonly {
      readonly function: {
        readonly name: string;
        readonly description: string;
        readonly parameters: {
          readonly properties: Record<string, { enum?: string[]; description: string }>;
        };
      };
    }[];
    readonly [name: string]: unknown;
  };
}

/** How a request is answered. */
export type Answering = (response: ServerResponse) => void | Promise<void>;

/** A local server that plays a provider: its answers, in order, and what it was asked. */
export interface Provider {
  readonly url: string;
  readonly asked: Asked[];
  readonly answers: Answering[];
  /** How many of its answers were cut off by who asked. */
  readonly cutOff: () => number;
}

/** Starts a provider; it ends with the test. */
export async function startProvider(...answers: Answering[]): Promise<Provider> {
  const asked: Asked[] = [];
  let nCutOff = 0;
  const url = await loopbackService(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    asked.push({
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(parts).toString('utf8')),
    });
    response.on('close', () => {
      if (!response.writableFinished) nCutOff += 1;
    });
    const answer = answers.shift() ?? refusing(500, 'nothing left to say');
    await answer(response);
  });
  return { url: `${url}/v1`, asked, answers, cutOff: () => nCutOff };
}

/** Refuses with a status and a body. */
export function refusing(status: number, body: string): Answering {
  return (response) => {
    response.writeHead(status);
    response.end(body);
  };
}

const ENVELOPE = { id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'm-1' };

/** A chunk with a change of the answer. */
export function chunk(delta: object, finish_reason: string | null = null): object {
  return { ...ENVELOPE, choices: [{ index: 0, delta, finish_reason }] };
}

/** The chunk that counts tokens. */
export function usageChunk(prompt_tokens: number, completion_tokens: number): object {
  const total_tokens = prompt_tokens + completion_tokens;
  return { ...ENVELOPE, choices: [], usage: { prompt_tokens, completion_tokens, total_tokens } };
}

/** Chunks of an answer in words, one for each. */
export function words(...contents: string[]): object[] {
  return [...contents.map((content) => chunk({ content })), chunk({}, 'stop')];
}

/** Chunks of calls of the search tool, each in three pieces. */
export function calls(...given: (string | object)[]): object[] {
  const pieces = given.flatMap((one, index) => {
    const text = typeof one === 'string' ? one : JSON.stringify(one);
    const name = '_svcSearchInIndex';
    const piece = (more: object) => chunk({ tool_calls: [{ index, ...more }] });
    return [
      piece({ id: `call-${index}`, type: 'function', function: { name, arguments: '' } }),
      piece({ function: { arguments: text.slice(0, 5) } }),
      piece({ function: { arguments: text.slice(5) } }),
    ];
  });
  return [...pieces, chunk({}, 'tool_calls')];
}

/** How the bytes of a stream go out. */
export interface Sending {
  /** Bytes that are sent at once; all of them when absent. */
  readonly piece?: number;
  readonly lineEnd?: '\n' | '\r\n' | '\r';
  /** Whether the stream ends as the protocol has it. */
  readonly ends?: boolean;
}

/** Answers with a stream of chunks. */
export function streaming(chunks: readonly object[], sending: Sending = {}): Answering {
  const { piece, lineEnd = '\n', ends = true } = sending;
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events = chunks.map((one) => `data: ${JSON.stringify(one)}`);
    if (ends) events.push('data: [DONE]');
    const bytes = Buffer.from(events.map((one) => `${one}${lineEnd}${lineEnd}`).join(''));
    const size = piece ?? bytes.length;
    for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
      await new Promise((sent) => response.write(bytes.subarray(at, at + size), sent));
      await new Promise(setImmediate);
    }
    response.end();
  };
}
