import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Server } from './servers.js';
import { MASTER_KEY } from './talk.js';

/** What a server answered. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What is sent beside the method and the path. */
export interface Sent {
  readonly body?: string | Buffer | object;
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

/** A client whose requests all go over one connection. */
export class Connection {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  /** Asks a server; resolves to the whole answer. */
  ask(method: string, path: string, { body, key = MASTER_KEY, headers }: Sent = {}) {
    return new Promise<Answered>((resolve, reject) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const authorization = `Bearer ${key}`;
      const sent = request(
        `${this.#url}${path}`,
        { method, agent: this.#agent, headers: { authorization, ...type, ...headers } },
        async (response) => {
          try {
            let text = '';
            for await (const chunk of response) text += chunk;
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          } catch (error) {
            reject(error);
          }
        },
      );
      sent.on('error', reject);
      if (typeof body === 'string' || Buffer.isBuffer(body)) sent.end(body);
      else sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Lets the connection go. */
  close(): void {
    this.#agent.destroy();
  }
}

/** Connections to a server, opened one after another: its loops get them in turn. */
export async function connections(server: Server, count: number): Promise<Connection[]> {
  const opened = Array.from({ length: count }, () => new Connection(server.url));
  onTestFinished(() => {
    for (const one of opened) one.close();
  });
  for (const one of opened) await one.ask('GET', '/health');
  return opened;
}
