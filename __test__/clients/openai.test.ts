import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { filmServer, MASTER, REPORTS } from '../chats/chat-server.js';
import { calls, refusing, startProvider, streaming, words } from '../chats/provider-server.js';

const SEARCH = { index_uid: 'films', q: 'alien', filter: '' };
const messages = [{ role: 'user' as const, content: 'Which film is about an alien?' }];

test('the client of OpenAI talks to a workspace: words, progress, sources and history', async () => {
  const provider = await startProvider(
    streaming(calls(SEARCH), { piece: 5 }),
    streaming(words('Al', 'ien.'), { piece: 5 }),
  );
  const server = await filmServer(provider);
  const client = new OpenAI({ baseURL: `${server.url}/chats/w`, apiKey: MASTER, maxRetries: 0 });
  const stream = await client.chat.completions.create({
    model: 'gpt-5',
    messages,
    stream: true,
    tools: REPORTS.map((name) => ({ type: 'function' as const, function: { name } })),
  });
  let answer = '';
  const reported: string[] = [];
  for await (const { choices } of stream) {
    answer += choices[0]?.delta.content ?? '';
    for (const call of choices[0]?.delta.tool_calls ?? []) {
      reported.push(call.function?.name ?? '');
      JSON.parse(call.function?.arguments ?? '');
    }
  }
  expect(answer).toBe('Alien.');
  const [progress, sources, append] = REPORTS;
  expect(reported).toEqual([progress, append, sources, append]);
});

test('the client of OpenAI throws what the server refuses, and what the provider says', async () => {
  const body = '{"error":{"message":"slow down","type":"rate","code":"limit","param":null}}';
  const provider = await startProvider(refusing(429, body));
  const server = await filmServer(provider);
  const client = new OpenAI({ baseURL: `${server.url}/chats/w`, apiKey: MASTER, maxRetries: 0 });
  await expect(client.chat.completions.create({ model: 'm', messages })).rejects.toMatchObject({
    status: 501,
  });
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
  const read = async () => {
    for await (const _ of stream);
  };
  await expect(read()).rejects.toThrow('slow down');
});
