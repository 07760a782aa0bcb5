import { afterEach, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';

const MASTER = 'a-master-key-nobody-may-see';
const SECRETS = [MASTER, 'secret-remote-key', 'secret-header', 'secret-embedder-key'];

let server: Awaited<ReturnType<typeof startServer>>;
afterEach(() => server.remove());

const headers = { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' };

async function call(method: string, path: string, body?: unknown): Promise<Response> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  return fetch(`${server.url}${path}`, { method, headers, ...init });
}

async function finished(answer: Response): Promise<void> {
  const { taskUid } = (await answer.json()) as { taskUid: number };
  for (;;) {
    const task = (await (await call('GET', `/tasks/${taskUid}`)).json()) as { finishedAt: unknown };
    if (task.finishedAt !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('metrics tell of documents, tasks and answers by route', async () => {
  server = await startServer({ masterKey: MASTER, args: ['--experimental-enable-metrics'] });
  await finished(await call('POST', '/indexes/films/documents', [{ id: 1 }, { id: 2 }]));
  await call('GET', '/indexes/films');
  const response = await call('GET', '/metrics');
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await response.text();
  expect(text).toContain('serval_index_docs_count{index="films"} 2\n');
  expect(text).toContain('serval_nb_tasks{kind="statuses",value="succeeded"} 1\n');
  expect(text).toContain('serval_last_indexed_documents_count{batch_uid="0",index="films"} 2\n');
  expect(text).toMatch(
    /serval_http_requests_total\{method="GET",path="\/indexes\/\{index_uid\}",status="200"\} 1\n/,
  );
  expect(text).not.toContain('/films');
});

test('metrics are refused to a key that does not see all indexes', async () => {
  server = await startServer({ masterKey: MASTER, args: ['--experimental-enable-metrics'] });
  const key = { actions: ['*'], indexes: ['a*'], expiresAt: null };
  const made = (await (await call('POST', '/keys', key)).json()) as { key: string };
  const answer = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${made.key}` },
  });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({
    message: expect.stringMatching(/`\/metrics` route must allow access to all indexes\.$/),
  });
});

test('the log is streamed to one listener, who sees what happens', async () => {
  server = await startServer({ masterKey: MASTER, args: ['--experimental-enable-logs-route'] });
  const stream = await call('POST', '/logs/stream', { target: 'debug', mode: 'json' });
  expect(stream.headers.get('x-accel-buffering')).toBe('no');
  const second = await call('POST', '/logs/stream', {});
  expect(await second.json()).toMatchObject({
    code: 'bad_request',
    message: 'The `/logs/stream` route is currently in use by someone else.',
  });
  await call('GET', '/version');
  expect((await call('DELETE', '/logs/stream')).status).toBe(204);
  const routes = (await stream.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).route);
  expect(routes).toContain('/version');
});

test('a listener who goes away makes room for the next', async () => {
  server = await startServer({ masterKey: MASTER, args: ['--experimental-enable-logs-route'] });
  const body = '{}';
  const gone = new AbortController();
  const url = `${server.url}/logs/stream`;
  await fetch(url, { method: 'POST', headers, body, signal: gone.signal });
  gone.abort();
  let status = 400;
  while (status === 400) {
    const next = await fetch(url, { method: 'POST', headers, body });
    status = next.status;
    await next.body?.cancel();
  }
  expect(status).toBe(200);
});

test('no log line holds a key, a header or a body, not even at the finest level', async () => {
  server = await startServer({ masterKey: MASTER, args: ['--log-level', 'TRACE'] });
  await call('PATCH', '/experimental-features', { network: true });
  const remotes = { a: { url: 'http://a.test', searchApiKey: 'secret-remote-key' } };
  await call('PATCH', '/network', { remotes });
  const made = (await (
    await call('POST', '/keys', { actions: ['*'], indexes: ['*'], expiresAt: null })
  ).json()) as { key: string };
  await call('GET', `/keys/${made.key}`);
  await fetch(`${server.url}/version?x=secret-header`, {
    headers: { authorization: 'Bearer secret-header', 'x-svc-api-key': 'secret-header' },
  });
  await call('PATCH', '/indexes/i/settings', {
    embedders: { e: { source: 'openAi', apiKey: 'secret-embedder-key', url: 3 } },
  });
  await call('POST', '/indexes/i/documents', { broken: 'secret-header' });
  await server.stop();
  const log = server.output();
  expect(log).toContain('route=/keys/:uidOrKey');
  for (const secret of [...SECRETS, made.key]) expect(log).not.toContain(secret);
});
