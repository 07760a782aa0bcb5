import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { Serval } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';
import type { Provider } from './provider-server.js';

export const MASTER = 'a-master-key-for-tests';

/** The films of the tests. */
export const FILMS = [
  { id: 1, title: 'Alien', genre: 'Horror', owner: 'ada' },
  { id: 2, title: 'Solaris', genre: 'Drama', owner: 'ada' },
  { id: 3, title: 'Stalker', genre: 'Drama', owner: 'bob' },
];

/** An event of an answer: a chunk, a report, an error. */
export interface ChatEvent {
  readonly id?: string;
  readonly model?: string;
  readonly type?: string;
  readonly error?: { type: string; code: string | null; message: string; param: string | null };
  readonly usage?: Record<string, number>;
  readonly choices?: {
    readonly finish_reason: string | null;
    readonly delta: {
      readonly content?: string;
      readonly tool_calls?: { function: { name: string; arguments: string } }[];
    };
  }[];
}

/** A server on a data folder of its own, or on one that is there. */
export async function chatServer(path = dataFolder()) {
  const db = await Serval.open(path);
  const app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6, masterKey: MASTER });
  let closed: Promise<unknown> | undefined;
  const close = () => {
    closed ??= app.close().then(() => db.close());
    return closed;
  };
  onTestFinished(async () => {
    await close();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const send = (method: string, at: string, body?: unknown, key = MASTER) =>
    fetch(`${url}${at}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const call = async (method: string, at: string, body?: unknown, key = MASTER) => {
    const response = await send(method, at, body, key);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const write = async (method: string, at: string, body: unknown) => {
    const task = await db.tasks.waitFor((await call(method, at, body)).body.taskUid);
    expect(task).toMatchObject({ status: 'succeeded' });
  };
  const on = () => call('PATCH', '/experimental-features', { chatCompletions: true });
  return { db, path, url, send, call, write, on, close };
}

export type ChatServer = Awaited<ReturnType<typeof chatServer>>;

/** A server with films, books and a workspace whose provider is the one given. */
export async function filmServer(provider: Provider, settings: object = {}): Promise<ChatServer> {
  const server = await chatServer();
  await server.on();
  for (const uid of ['films', 'books']) {
    await server.write('PATCH', `/indexes/${uid}/settings`, {
      filterableAttributes: ['genre', 'owner'],
      chat: {
        description: `All the ${uid}`,
        documentTemplate: '{{ doc.title }} ({{ doc.genre }})',
      },
    });
  }
  await server.write('POST', '/indexes/films/documents', FILMS);
  await server.write('POST', '/indexes/books/documents', [
    { id: 1, title: 'Roadside Picnic', genre: 'Novel', owner: 'bob' },
  ]);
  const workspace = { source: 'openAi', baseUrl: provider.url, apiKey: 'secret-key', ...settings };
  expect((await server.call('PATCH', '/chats/w/settings', workspace)).status).toBe(200);
  return server;
}

/** The tools by which a client asks for reports. */
export const REPORTS = ['_svcSearchProgress', '_svcSearchSources', '_svcAppendConversationMessage'];

export const tool = (name: string) => ({ type: 'function', function: { name, description: 'x' } });

const QUESTION = [{ role: 'user', content: 'Which films?' }];

/** Asks the workspace; the events of the answer, or the refusal. */
export async function ask(server: ChatServer, more: object = {}, key = MASTER) {
  const body = { model: 'gpt-5', messages: QUESTION, stream: true, ...more };
  const response = await server.send('POST', '/chats/w/chat/completions', body, key);
  const text = await response.text();
  const { status, headers } = response;
  if (status !== 200) return { status, headers, refusal: JSON.parse(text), events: [], text };
  return { status, headers, refusal: undefined, events: eventsOf(text), text };
}

/** The JSON events of a stream. */
export function eventsOf(text: string): ChatEvent[] {
  const data = text.split('\n\n').filter((part) => part.startsWith('data: {'));
  return data.map((part) => JSON.parse(part.slice('data: '.length)) as ChatEvent);
}

/** The words of an answer. */
export function answered(events: readonly ChatEvent[]): string {
  return events.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('');
}

/** The reports among events: the name of the tool and its arguments. */
export function reports(
  events: readonly ChatEvent[],
): [name: string, value: Record<string, unknown>][] {
  return events.flatMap(({ choices }) =>
    (choices?.[0]?.delta.tool_calls ?? []).map(
      ({ function: { name, arguments: text } }): [string, Record<string, unknown>] => [
        name,
        JSON.parse(text),
      ],
    ),
  );
}
