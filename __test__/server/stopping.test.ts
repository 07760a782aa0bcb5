import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';

let server: Awaited<ReturnType<typeof startServer>>;
afterEach(() => server.remove());

const port = (): number => Number(new URL(server.url).port);

/** Begins a search whose body is only half sent; `finish` sends the rest and gives the answer. */
async function halfSentSearch() {
  const body = JSON.stringify({ q: 'film' });
  const sent = request({
    port: port(),
    path: '/indexes/films/search',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  // The server says so once it has begun the request.
  await once(sent, 'continue');
  sent.write(body.slice(0, 4));
  const finish = async () => {
    sent.end(body.slice(4));
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode as number, text };
  };
  return finish;
}

async function addFilms(count: number): Promise<void> {
  const films = Array.from({ length: count }, (_, id) => ({ id, title: `film ${id}` }));
  await fetch(`${server.url}/indexes/films/documents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(films),
  });
}

async function task(uid: number): Promise<{ status: string }> {
  return (await (await fetch(`${server.url}/tasks/${uid}`)).json()) as { status: string };
}

async function taskEnd(uid: number): Promise<string> {
  for (;;) {
    const { status } = await task(uid);
    if (!['enqueued', 'processing'].includes(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s a request under way is answered, no new one is taken, and the exit code is 0',
  async (signal) => {
    server = await startServer();
    await addFilms(1);
    await taskEnd(0);
    const finish = await halfSentSearch();
    const stopped = server.stop(signal);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
    expect(await finish()).toMatchObject({ status: 200, text: expect.stringContaining('film 0') });
    await stopped;
    expect(server.exitCode()).toBe(0);
  },
);

test.each([1, 2])(
  'by %i loops, a request that takes most of its time is answered, and the exit code is 0',
  { timeout: 60_000 },
  async (loops) => {
    server = await startServer({ args: ['--http-workers', String(loops)] });
    await addFilms(1);
    await taskEnd(0);
    const halves = [await halfSentSearch(), await halfSentSearch()];
    const stopped = server.stop();
    // Longer than the framework gives what waits for the end, unless it is told otherwise.
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    for (const finish of halves) expect(await finish()).toMatchObject({ status: 200 });
    await stopped;
    expect(server.exitCode()).toBe(0);
  },
);

test.each([1, 2])(
  'by %i loops, a connection that nothing came on does not keep the server from stopping',
  { timeout: 60_000 },
  async (loops) => {
    server = await startServer({ args: ['--http-workers', String(loops)] });
    const unused = [connect(port(), '127.0.0.1'), connect(port(), '127.0.0.1')];
    await Promise.all(unused.map((socket) => once(socket, 'connect')));
    for (const socket of unused) socket.on('error', () => undefined);
    const begun = performance.now();
    await server.stop();
    expect(server.exitCode()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(15_000);
  },
);

test('a batch in hand is finished or taken back, and nothing acknowledged is lost', async () => {
  server = await startServer();
  const { folder } = server;
  await addFilms(20_000);
  await server.stop();
  expect(server.exitCode()).toBe(0);
  server = await startServer({ folder });
  expect(await taskEnd(0)).toBe('succeeded');
  const stats = await (await fetch(`${server.url}/indexes/films/stats`)).json();
  expect(stats).toMatchObject({ numberOfDocuments: 20_000 });
});

test('a second signal ends at once', async () => {
  server = await startServer();
  await halfSentSearch();
  void server.stop('SIGTERM');
  await expect.poll(() => server.output(), { timeout: 10_000 }).toContain('stopping: requests');
  expect(server.exitCode()).toBe(null);
  await server.stop('SIGINT');
  expect(server.exitCode()).toBe(130);
});

test('a listener to the log does not keep the server from stopping', async () => {
  server = await startServer({ args: ['--experimental-enable-logs-route'] });
  const stream = await fetch(`${server.url}/logs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  await server.stop();
  expect(server.exitCode()).toBe(0);
  expect(await stream.text()).toContain('stopping');
});

test('a second server on the same data is refused and says why', async () => {
  server = await startServer();
  await expect(startServer({ folder: server.folder })).rejects.toThrow(/exited with 1/);
});

test('a client that sends its headers drop by drop is cut off', { timeout: 60_000 }, async () => {
  server = await startServer();
  const socket = connect(port(), '127.0.0.1');
  socket.write('GET /health HTTP/1.1\r\n');
  const drops = setInterval(() => socket.write('x-a: b\r\n'), 500);
  socket.on('error', () => undefined);
  const [answer] = await once(socket, 'data');
  clearInterval(drops);
  socket.destroy();
  expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
});
