import type { IncomingMessage, ServerResponse } from 'node:http';
import { loopbackService } from '../loopback-service.js';

/** What a request to the server asked. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

/** What the next request gets in place of its vectors; `undefined` lets it through. */
export type Fault = (response: ServerResponse) => void;

/** A local server that speaks the protocols of OpenAI, ollama, and a plain one of its own. */
export interface EmbeddingServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Faults of the next requests, one for each. */
  readonly faults: (Fault | undefined)[];
}

/** The numbers of a text: how often it has each of some letters, and a constant. */
export function vectorOf(text: string): number[] {
  return [...'aeio'].map((letter) => text.split(letter).length - 1).concat(1);
}

/** Starts the server; it ends with the test. */
export async function embeddingServer(): Promise<EmbeddingServer> {
  const asked: Asked[] = [];
  const faults: (Fault | undefined)[] = [];
  const url = await loopbackService(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const path = request.url ?? '';
    asked.push({ path, headers: request.headers, body });
    const fault = faults.shift();
    if (fault !== undefined) {
      fault(response);
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answerTo(path, body)));
  });
  return { url, asked, faults };
}

/** Answers with a status and a text. */
export function answers(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Fault {
  return (response) => {
    response.writeHead(status, headers);
    response.end(text);
  };
}

function answerTo(path: string, body: Record<string, unknown>): unknown {
  switch (path) {
    case '/v1/embeddings': {
      const vectors = (body.input as string[]).map(vectorOf);
      return { data: vectors.map((embedding, index) => ({ embedding, index })) };
    }
    case '/api/embed':
      return { embeddings: (body.input as string[]).map(vectorOf) };
    case '/api/embeddings':
      return { embedding: vectorOf(body.prompt as string) };
    default:
      return { vector: vectorOf(JSON.stringify(body.input)) };
  }
}
