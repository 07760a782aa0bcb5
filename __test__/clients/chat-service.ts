import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service for chats that answers everything with one word. */
export interface ChatService {
  readonly url: string;
  close(): void;
}

/** Starts a service for chats on a free port. */
export async function startChatService(): Promise<ChatService> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const choices = [{ index: 0, delta: { role: 'assistant', content: 'Alien' } }];
    const end = [{ index: 0, delta: {}, finish_reason: 'stop' }];
    for (const one of [choices, end]) {
      response.write(`data: ${JSON.stringify({ id: 'x', model: 'any', choices: one })}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
}
