import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import {
  type ConnectionOptions,
  connect,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';

const file = (name: string): string => inRoot('__test__', 'fixtures', 'tls', name);
const read = (name: string): Buffer => readFileSync(file(name));
const ca = read('ca.pem');
const TLS = ['--ssl-cert-path', file('server.pem'), '--ssl-key-path', file('server-key.pem')];

let server: Awaited<ReturnType<typeof startServer>>;
afterEach(() => server.remove());

async function start(...args: string[]): Promise<void> {
  server = await startServer({ args: [...TLS, ...args], tls: identity('client') });
}

const port = (): number => Number(new URL(server.url).port);

async function health(options: ConnectionOptions = {}): Promise<number | undefined> {
  const sent = request({ port: port(), path: '/health', ca, agent: false, ...options });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

const identity = (name: string): SecureContextOptions => ({
  cert: read(`${name}.pem`),
  key: read(`${name}-key.pem`),
});

test('with certificate and key, connections are encrypted and the certificate is the given one', async () => {
  await start();
  expect(await health()).toBe(200);
  await expect(health({ ca: read('stranger.pem') })).rejects.toThrow(/certificate/);
  await expect(fetch(server.url.replace('https', 'http'))).rejects.toThrow();
});

test('HTTP/2 is spoken with clients that can, and the server stops with them connected', async () => {
  await start();
  const session = connectHttp2(server.url, { ca });
  const stream = session.request({ ':path': '/health' });
  const [headers] = await once(stream, 'response');
  expect(headers[':status']).toBe(200);
  stream.resume();
  await server.stop();
  expect(server.exitCode()).toBe(0);
  session.destroy();
});

test('a refused body does not break a session of HTTP/2', async () => {
  await start('--http-payload-size-limit', '10 kB');
  const session = connectHttp2(server.url, { ca });
  const status = async (body: string): Promise<unknown> => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/indexes/a/search',
      'content-type': 'application/json',
    });
    stream.end(body);
    const [headers] = await once(stream, 'response');
    stream.resume();
    return headers[':status'];
  };
  expect(await status(JSON.stringify({ q: 'x'.repeat(20_000) }))).toBe(413);
  expect(await status('{}')).toBe(404);
  session.destroy();
});

describe('with authorities for clients', () => {
  test('a client may show a certificate that they vouch for, or none', async () => {
    await start('--ssl-auth-path', file('ca.pem'));
    expect(await health(identity('client'))).toBe(200);
    expect(await health()).toBe(200);
    await expect(health(identity('stranger'))).rejects.toThrow();
  });

  test('a client must show one where that is required', async () => {
    await start('--ssl-auth-path', file('ca.pem'), '--ssl-require-auth');
    expect(await health(identity('client'))).toBe(200);
    await expect(health()).rejects.toThrow();
    await expect(health(identity('stranger'))).rejects.toThrow();
  });
});

/** A connection that has seen the server's first session, and its OCSP answer. */
async function connection(options: ConnectionOptions & { requestOCSP?: boolean }) {
  const asked: ConnectionOptions = { port: port(), host: '127.0.0.1', ca, ...options };
  const socket = connect(asked);
  let ocsp: Buffer | null = null;
  socket.on('OCSPResponse', (response: Buffer) => {
    ocsp = response;
  });
  await once(socket, 'secureConnect');
  return { socket, ocsp: () => ocsp };
}

test('an OCSP answer is given along with the certificate', async () => {
  await start('--ssl-ocsp-path', file('ocsp.der'));
  const { socket, ocsp } = await connection({ requestOCSP: true });
  expect(ocsp()).toEqual(read('ocsp.der'));
  socket.destroy();
});

/** Whether a second connection resumes the session of a first one. */
async function resumes(): Promise<boolean> {
  const version = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
  const first = await connection(version);
  const session = first.socket.getSession();
  first.socket.destroy();
  const second = await connection({ ...version, ...(session === undefined ? {} : { session }) });
  const reused = (second.socket as TLSSocket).isSessionReused();
  second.socket.destroy();
  return reused;
}

test.each([
  [[], false],
  [['--ssl-resumption'], true],
  [['--ssl-tickets'], true],
])('with %j sessions can be resumed: %s', async (args, expected) => {
  await start(...args);
  expect(await resumes()).toBe(expected);
});

test.skipIf(process.platform === 'win32').each(['--ssl-resumption', '--ssl-tickets'])(
  'with %s sessions are resumed on whichever thread a connection comes to',
  async (option) => {
    await start(option, '--http-workers', '2');
    expect(await resumes()).toBe(true);
  },
);
