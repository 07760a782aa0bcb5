import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { newFolder, type Server, start } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

const TIMEOUT_MS = 240_000;
/** Hosts that mean this machine; `outgoing/loopback-names.ts` has more. */
const HOSTS = [
  '127.0.0.1',
  'localhost',
  '2130706433',
  '0x7f.1',
  '0.0.0.0',
  '[::1]',
  '[::ffff:7f00:1]',
];
const REFUSED = 'Rejected IP';

/** A port of this machine, in both versions, and what has come. */
async function trap(host = '127.0.0.1', answer?: string) {
  const asked: string[] = [];
  let connections = 0;
  const listener = () =>
    createServer((request, response) => {
      asked.push(request.url ?? '');
      request.resume();
      response
        .writeHead(
          answer === undefined ? 200 : 307,
          answer === undefined ? {} : { location: answer },
        )
        .end('{}');
    }).on('connection', () => {
      connections += 1;
    });
  const first = listener();
  await new Promise<void>((resolve) => first.listen(0, host, resolve));
  const { port } = first.address() as AddressInfo;
  const second = listener();
  await new Promise<void>((resolve) => {
    second.once('error', () => resolve()).listen(port, '::1', resolve);
  });
  onTestFinished(() => {
    for (const server of [first, second]) {
      server.closeAllConnections();
      server.close();
    }
  });
  return { port, asked, connections: () => connections };
}

async function startWith(...args: string[]): Promise<Server> {
  const server = await start(await newFolder(), ...args);
  const features = { network: true, chatCompletions: true };
  await ask(`${server.url}/experimental-features`, 'PATCH', features);
  await write(server.url, 'POST', '/indexes/notes/documents', [{ id: 1, text: 'a note' }]);
  return server;
}

async function chatText(url: string, workspace: string): Promise<string> {
  const response = await fetch(`${url}/chats/${workspace}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    }),
  });
  return response.text();
}

const EMBEDDERS = {
  rest: { source: 'rest', dimensions: 2, request: '{{text}}', response: '{{embedding}}' },
  ollama: { source: 'ollama', model: 'm', dimensions: 2 },
  openAi: { source: 'openAi', apiKey: 'k', dimensions: 2 },
};

/** Has every feature call a host, and gives what each says of it. */
async function everyFeature({ url }: Server, target: string, name: string) {
  const said: Record<string, string> = {};
  for (const [source, embedder] of Object.entries(EMBEDDERS)) {
    const path = source === 'ollama' ? '/api/embed' : '/e';
    const embedders = { e: { ...embedder, url: `${target}${path}` } };
    const { error } = await write(url, 'PATCH', '/indexes/notes/settings', { embedders });
    said[source] = error?.message ?? '';
  }
  const exported = await write(url, 'POST', '/export', { url: target });
  said.export = exported.error?.message ?? '';
  await ask(`${url}/network`, 'PATCH', { self: 'here', remotes: { [name]: { url: target } } });
  const query = { indexUid: 'notes', q: '', federationOptions: { remote: name } };
  const found = await ask(`${url}/multi-search`, 'POST', { federation: {}, queries: [query] });
  said.network = JSON.stringify(found.remoteErrors);
  await ask(`${url}/chats/${name}/settings`, 'PATCH', { source: 'vLlm', baseUrl: target });
  said.chat = await chatText(url, name);
  return said;
}

const FEATURES = ['rest', 'ollama', 'openAi', 'export', 'network', 'chat'];

test('no feature calls this machine, however it is named, and each says so', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { port, connections } = await trap();
  const server = await startWith();
  for (const host of HOSTS) {
    const target = `http://${host}:${port}`;
    const said = await everyFeature(server, target, `n${HOSTS.indexOf(host)}`);
    const refusing = FEATURES.filter((feature) => said[feature]?.includes(REFUSED));
    expect({ host, refusing }).toEqual({ host, refusing: FEATURES });
    await ask(`${server.url}/webhooks`, 'POST', { url: `${target}/hook`, headers: {} });
  }
  await write(server.url, 'POST', '/indexes/notes/documents', [{ id: 2 }]);
  const givenUp = () => server.output().match(/a webhook was not told/g)?.length ?? 0;
  await expect.poll(givenUp, { timeout: TIMEOUT_MS / 2 }).toBeGreaterThanOrEqual(HOSTS.length);
  expect(connections()).toBe(0);
});

test('the services of the command line are held to the same', { timeout: TIMEOUT_MS }, async () => {
  const { port, connections } = await trap();
  const target = `http://localhost:${port}`;
  const server = await startWith(
    ...['--task-webhook-url', `${target}/hook`, '--models-hub-url', target],
    ...['--experimental-personalization-url', `${target}/rerank`],
    ...['--experimental-personalization-api-key', 'k'],
  );
  const embedders = { e: { source: 'huggingFace', model: 'tiny/model' } };
  const { error } = await write(server.url, 'PATCH', '/indexes/notes/settings', { embedders });
  expect(error?.message).toContain(REFUSED);
  const body = { q: 'note', personalize: { userContext: 'x' } };
  await ask(`${server.url}/indexes/notes/search`, 'POST', body).catch(() => undefined);
  await expect.poll(server.output, { timeout: TIMEOUT_MS / 2 }).toContain('a webhook was not told');
  expect(connections()).toBe(0);
});

test('no feature follows an allowed address to one that is not', {
  timeout: TIMEOUT_MS,
}, async () => {
  const secret = await trap('127.0.0.2');
  const open = await trap('127.0.0.1', `http://127.0.0.2:${secret.port}/secret`);
  const server = await startWith('--experimental-allowed-ip-networks', '127.0.0.1/32');
  const target = `http://127.0.0.1:${open.port}`;
  const { url } = server;
  await ask(`${url}/network`, 'PATCH', { self: 'here', remotes: { there: { url: target } } });
  const query = { indexUid: 'notes', q: '', federationOptions: { remote: 'there' } };
  await ask(`${url}/multi-search`, 'POST', { federation: {}, queries: [query] });
  await ask(`${url}/chats/w/settings`, 'PATCH', { source: 'vLlm', baseUrl: target });
  await chatText(url, 'w');
  await ask(`${url}/webhooks`, 'POST', { url: `${target}/hook`, headers: {} });
  await write(url, 'POST', '/indexes/other/documents', [{ id: 1, text: 'a note' }]);
  const exported = await write(url, 'POST', '/export', { url: target });
  expect(exported.status).toBe('failed');
  // Tried again and again: nobody waits for its end.
  const embedders = { e: { ...EMBEDDERS.rest, url: `${target}/embed` } };
  await ask(`${url}/indexes/other/settings`, 'PATCH', { embedders });
  const arrived = () =>
    ['/multi-search', '/chat/completions', '/hook', '/indexes', '/embed'].filter(
      (path) => !open.asked.some((asked) => asked.startsWith(path)),
    );
  await expect.poll(arrived, { timeout: TIMEOUT_MS / 2 }).toEqual([]);
  const givenUp = expect.poll(server.output, { timeout: TIMEOUT_MS / 2 });
  await givenUp.toContain('the address answered 307');
  expect(secret.connections()).toBe(0);
});
