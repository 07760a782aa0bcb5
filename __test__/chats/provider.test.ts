import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_CHAT_SETTINGS } from '../../src/chats/chat-settings.js';
import { completionChunks, instructionRole } from '../../src/chats/provider.js';
import { createIpPolicy } from '../../src/outgoing/ip-policy.js';
import { createOutgoingClient } from '../../src/outgoing/outgoing-client.js';
import { ask, type ChatServer, filmServer, MASTER } from './chat-server.js';
import { chunk, startProvider, streaming, words } from './provider-server.js';

test('each provider is called at its address, with its headers', async () => {
  const provider = await startProvider(...Array.from({ length: 4 }, () => streaming(words('x'))));
  const server = await filmServer(provider, { orgId: 'org', projectId: 'project' });
  const base = provider.url;
  const asked: object[] = [
    { source: 'openAi', baseUrl: `${base}/` },
    { source: 'azureOpenAi', baseUrl: base, deploymentId: 'my model', apiVersion: '2025-01-01' },
    { source: 'mistral' },
    { source: 'vLlm', apiKey: null },
  ];
  for (const settings of asked) {
    await server.call('PATCH', '/chats/w/settings', settings);
    await ask(server);
  }
  const seen = provider.asked.map(({ path, headers, body }) => [
    path,
    headers.authorization,
    headers['api-key'],
    headers['openai-organization'],
    headers['openai-project'],
    body.messages[0]?.role,
    body.stream_options,
  ]);
  const none = undefined;
  const usage = { include_usage: true };
  const completions = '/v1/chat/completions';
  const azure = '/v1/openai/deployments/my%20model/chat/completions?api-version=2025-01-01';
  expect(seen).toEqual([
    [completions, 'Bearer secret-key', none, 'org', 'project', 'developer', usage],
    [azure, none, 'secret-key', none, none, 'developer', usage],
    [completions, 'Bearer secret-key', none, none, none, 'system', none],
    [completions, none, none, none, none, 'system', none],
  ]);
});

test('older models of OpenAI are told by a system message', () => {
  const role = (model: string) => instructionRole(DEFAULT_CHAT_SETTINGS, model);
  for (const model of [
    'gpt-3.5-turbo',
    'gpt-4',
    'gpt-4-turbo',
    'gpt-4.1-mini',
    'gpt-4.5-preview',
  ]) {
    expect(role(model)).toBe('system');
  }
  expect(['gpt-4o', 'chatgpt-4o-latest'].map(role)).toEqual(['system', 'system']);
  expect(['gpt-5', 'o3', 'o4-mini', 'gpt-40'].map(role)).toEqual(Array(4).fill('developer'));
});

test('the first chunk of Azure, which has no choices, does not end the answer', async () => {
  const filters = { ...chunk({}), choices: [], prompt_filter_results: [] };
  const provider = await startProvider(streaming([filters, ...words('Yes.')]));
  const server = await filmServer(provider);
  expect((await ask(server)).events).toEqual(words('Yes.'));
});

/** Asks on a connection of its own, which can be broken off. */
async function openChat(server: ChatServer) {
  const asking = request(`${server.url}/chats/w/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' },
  });
  asking.end(JSON.stringify({ model: 'm', messages: [], stream: true }));
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return { response, leave: () => response.destroy() };
}

test('a client that goes away stops the provider', async () => {
  const provider = await startProvider(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(chunk({ content: 'Wait' }))}\n\n`);
    await once(response, 'close');
  });
  const { response, leave } = await openChat(await filmServer(provider));
  let text = '';
  response.on('data', (bytes: Buffer) => {
    text += bytes.toString();
  });
  await expect.poll(() => text).toContain('Wait');
  leave();
  await expect.poll(provider.cutOff).toBe(1);
});

test('a client that goes away before the provider answers stops it, too', async () => {
  const provider = await startProvider((response) => once(response, 'close').then(() => undefined));
  const { leave } = await openChat(await filmServer(provider));
  await expect.poll(() => provider.asked.length).toBe(1);
  leave();
  await expect.poll(provider.cutOff).toBe(1);
});

test('a slow client slows the provider: what it does not read is not fetched', async () => {
  const big = `data: ${JSON.stringify(chunk({ content: 'x'.repeat(64 * 1024) }))}\n\n`;
  let nSent = 0;
  const provider = await startProvider(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const closed = once(response, 'close');
    for (; nSent < 2000 && !response.destroyed; nSent++) {
      if (!response.write(big)) await Promise.race([once(response, 'drain'), closed]);
    }
    response.end();
  });
  const { response, leave } = await openChat(await filmServer(provider));
  response.pause();
  let before = -1;
  const standsStill = () => {
    const stands = nSent > 0 && nSent === before;
    before = nSent;
    return stands;
  };
  await expect.poll(standsStill, { interval: 500, timeout: 15_000 }).toBe(true);
  // 2000 events are 128 MB; buffers of sockets and streams take a few.
  expect(nSent).toBeLessThan(1000);
  leave();
  await expect.poll(provider.cutOff).toBe(1);
});

test('an address that the policy refuses is not called, nor by a redirect', async () => {
  const inside = await startProvider(streaming(words('secret')));
  const client = createOutgoingClient(createIpPolicy(undefined));
  onTestFinished(() => client.close());
  const settings = { ...DEFAULT_CHAT_SETTINGS, baseUrl: inside.url };
  const asked = (send: typeof fetch, baseUrl: string) =>
    completionChunks({ ...settings, baseUrl }, {}, send, new AbortController().signal).next();
  const guarded = client.fetch as unknown as typeof fetch;
  await expect(asked(guarded, inside.url)).rejects.toMatchObject({ type: 'reqwest_error' });
  const redirecting = createServer((_request, response) => {
    response.writeHead(307, { location: `${inside.url}/chat/completions` });
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void redirecting.close());
  await once(redirecting, 'listening');
  const { port } = redirecting.address() as AddressInfo;
  const redirected = asked(fetch, `http://127.0.0.1:${port}`);
  await expect(redirected).rejects.toMatchObject({ type: 'transport_error' });
  expect(inside.asked).toEqual([]);
});
