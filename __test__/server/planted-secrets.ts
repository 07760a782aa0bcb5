import { onTestFinished } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { loopbackService } from '../loopback-service.js';

const secret = (name: string) => `s3cret-planted-${name}-0123456789abcdef`;

/** One for every place where the server is told a secret. */
export const PLANTED = {
  master: secret('master'),
  launchedHook: secret('launched-hook'),
  personalization: secret('personalization'),
  embedder: secret('embedder'),
  embedderHeader: secret('embedder-header'),
  hook: secret('hook'),
  hookHeader: secret('hook-header'),
  remoteSearch: secret('remote-search'),
  remoteWrite: secret('remote-write'),
  chat: secret('chat'),
  exporting: secret('exporting'),
  wrongKey: secret('wrong-key'),
  query: secret('query'),
  malformed: secret('malformed'),
};

/** The names of the planted secrets in a text. */
export function plantedIn(text: string): string[] {
  return Object.entries(PLANTED)
    .filter(([, value]) => text.includes(value))
    .map(([name]) => name);
}

/** A service that refuses everybody and shows no one what it was sent. */
async function refusingService() {
  const asked = new Set<string>();
  const url = await loopbackService((request, response) => {
    asked.add(request.url ?? '');
    request.resume();
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"no"}');
  });
  return { asked, url };
}

const FEATURES = ['metrics', 'logsRoute', 'network', 'chatCompletions', 'getTaskDocumentsRoute'];

/**
 * A server that logs all it can and was told every secret, in requests that are right and in ones
 * that are wrong; each was also used, and refused by the service it is for.
 */
export async function serverWithSecrets(mode: 'human' | 'json') {
  const { asked, url: service } = await refusingService();
  const server = await startServer({
    env: {
      SVC_MASTER_KEY: PLANTED.master,
      SVC_TASK_WEBHOOK_AUTHORIZATION_HEADER: `Bearer ${PLANTED.launchedHook}`,
      SVC_EXPERIMENTAL_PERSONALIZATION_API_KEY: PLANTED.personalization,
    },
    args: [
      ...['--log-level', 'TRACE', '--experimental-logs-mode', mode],
      ...['--experimental-allowed-ip-networks', '127.0.0.1/32'],
      ...['--task-webhook-url', `${service}/launched`],
      ...['--experimental-personalization-url', `${service}/rerank`],
    ],
  });
  onTestFinished(server.remove);
  const answers: string[] = [];
  const call = async (method: string, path: string, body?: unknown, key = PLANTED.master) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text };
  };
  const json = async (method: string, path: string, body?: unknown) =>
    JSON.parse((await call(method, path, body)).text || '{}');
  const write = async (method: string, path: string, body: unknown) => {
    const { taskUid } = await json(method, path, body);
    let task = await json('GET', `/tasks/${taskUid}`);
    while (task.finishedAt === null) task = await json('GET', `/tasks/${taskUid}`);
    return task;
  };
  const use = async (method: string, path: string, body: unknown, key?: string) =>
    answers.push((await call(method, path, body, key)).text);

  await json('PATCH', '/experimental-features', Object.fromEntries(FEATURES.map((f) => [f, true])));
  const made = await json('POST', '/keys', { actions: ['*'], indexes: ['*'], expiresAt: null });
  const hook = await json('POST', '/webhooks', {
    url: `${service}/hook`,
    headers: { Authorization: `Bearer ${PLANTED.hook}`, 'X-Other': PLANTED.hookHeader },
  });
  const remotes = {
    there: {
      url: service,
      searchApiKey: PLANTED.remoteSearch,
      writeApiKey: PLANTED.remoteWrite,
    },
  };
  await json('PATCH', '/network', { self: 'here', remotes });
  await json('PATCH', '/chats/w/settings', {
    source: 'vLlm',
    baseUrl: `${service}/v1`,
    apiKey: PLANTED.chat,
  });
  await write('POST', '/indexes/films/documents', [{ id: 1, title: 'Alien' }]);
  const embedder = { source: 'openAi', url: `${service}/embed`, dimensions: 3 };
  const rest = {
    source: 'rest',
    url: `${service}/rest`,
    dimensions: 3,
    apiKey: PLANTED.embedder,
    headers: { 'X-Key': PLANTED.embedderHeader },
    request: '{{text}}',
    response: '{{embedding}}',
  };
  // The documents that are there are embedded, which fails.
  for (const one of [rest, { ...embedder, apiKey: PLANTED.embedder }]) {
    await write('PATCH', '/indexes/films/settings', { embedders: { one } });
  }
  // Without documents nothing is embedded: these settings stay.
  await write('POST', '/indexes', { uid: 'kept' });
  await write('PATCH', '/indexes/kept/settings', {
    embedders: { keyed: { ...embedder, apiKey: PLANTED.embedder }, rest },
  });
  await write('POST', '/export', { url: service, apiKey: PLANTED.exporting });
  await use('POST', '/indexes/films/search', { q: 'a', personalize: { userContext: 'x' } });
  await use('POST', '/indexes/kept/search', { q: 'a', hybrid: { embedder: 'keyed' } });
  await use('POST', '/multi-search', {
    federation: {},
    queries: [{ indexUid: 'films', q: '', federationOptions: { remote: 'there' } }],
  });
  await use('POST', '/chats/w/chat/completions', {
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'x' }],
  });
  await refusedRequests(call, made.key);
  return { server, asked, call, write, answers, key: String(made.key), hook: String(hook.uuid) };
}

type Call = (method: string, path: string, body?: unknown, key?: string) => Promise<unknown>;

/** Requests that are refused, each with a secret where it does not belong. */
async function refusedRequests(call: Call, key: string): Promise<void> {
  const { malformed, query, wrongKey } = PLANTED;
  await call('GET', `/version?key=${query}`, undefined, wrongKey);
  await call('GET', `/keys/${query}`);
  await call('GET', `/indexes/films/documents/1?apiKey=${query}`, undefined, key);
  await call('PATCH', '/indexes/films/settings', {
    embedders: { e: { source: 'openAi', apiKey: [malformed] } },
  });
  await call('PATCH', '/network', { remotes: { x: { url: 3, searchApiKey: malformed } } });
  await call('POST', '/webhooks', { url: malformed, headers: { Authorization: malformed } });
  await call('PATCH', '/chats/w/settings', { source: malformed, apiKey: malformed });
  await call('POST', '/export', { url: 'nowhere', apiKey: malformed });
  await call('POST', '/keys', { actions: [malformed], indexes: ['*'], expiresAt: null });
  await call('POST', '/indexes/films/documents', `{"broken": "${malformed}`);
}
