import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { temporaryFolder } from '../faults/temporary-folder.js';
import { ask, MASTER_KEY } from './talk.js';

const LIMIT = 1024 * 1024;
const BOMB_BYTES = 64 * LIMIT;
const headers = { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' };

let server: Awaited<ReturnType<typeof startServer>>;
let folder: string;

beforeAll(async () => {
  const temporary = temporaryFolder();
  folder = temporary.path;
  const args = ['--http-payload-size-limit', `${LIMIT}`];
  server = await startServer({ folder, masterKey: MASTER_KEY, args });
  return async () => {
    await server.stop('SIGKILL');
    temporary.remove();
  };
});

/** The raw answer to raw bytes. */
async function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return text(socket.setEncoding('utf8'));
}

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true }).map(String).sort();

describe('a small body that would become a large one', () => {
  const zeros = Buffer.alloc(BOMB_BYTES, '[');
  const bombs = {
    gzip: gzipSync(zeros),
    deflate: deflateSync(zeros),
    br: brotliCompressSync(zeros),
  };

  test.each(Object.entries(bombs))('is refused at the limit: %s', async (encoding, body) => {
    expect(body.length).toBeLessThan(LIMIT);
    for (const path of ['/indexes/a/documents', '/indexes/a/search', '/keys']) {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Encoding': encoding },
        body,
      });
      expect(response.status, path).toBe(413);
      expect(await response.json()).toMatchObject({ code: 'payload_too_large' });
    }
    expect(readdirSync(join(server.dataFolder, 'payloads'))).toEqual([]);
  });
});

test('a body over the limit is refused by an answer, not by a connection that breaks', async () => {
  const body = Buffer.alloc(30 * LIMIT, ' ');
  const known = () => body;
  const unknown = () => new Blob([body]).stream();
  for (const path of ['/indexes/a/documents', '/indexes/a/search']) {
    for (const bodyOf of [known, known, known, known, known, known, unknown, unknown]) {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers,
        body: bodyOf(),
        duplex: 'half',
      });
      expect(response.status, path).toBe(413);
      expect(response.headers.get('connection')).toBe('close');
      expect(await response.json()).toMatchObject({ code: 'payload_too_large' });
    }
  }
});

describe('a name that is a path', () => {
  const NAMES = ['..', '../../evil', '..%2F..%2Fevil', '%2e%2e%2fevil', 'a/../../evil', 'a%00b'];

  test.each(NAMES)('%s names no index and writes nowhere', async (name) => {
    const before = filesIn(folder);
    const documents = [{ id: 1 }];
    const calls: [method: string, path: string, body: unknown][] = [
      ['POST', `/indexes/${name}/documents`, documents],
      ['PATCH', `/indexes/${name}/settings`, { stopWords: ['a'] }],
      ['POST', '/indexes', { uid: decodeURIComponent(name) }],
      ['POST', '/swap-indexes', [{ indexes: ['a', decodeURIComponent(name)] }]],
    ];
    for (const [method, path, body] of calls) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers,
        body: JSON.stringify(body),
      });
      expect([400, 404, 405], `${method} ${path}`).toContain(response.status);
    }
    const written = filesIn(folder).filter((file) => !/server\.sqlite/.test(file));
    expect(written).toEqual(before.filter((file) => !/server\.sqlite/.test(file)));
  });
});

describe('a connection that is up to no good', () => {
  test('with headers of a megabyte gets 431 and is closed', async () => {
    const answer = await raw(`GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(LIMIT)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });

  test('with bytes that are no request gets 400 and is closed', async () => {
    expect(await raw('\x16\x03\x01\x02\x00\x01\x00\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  });

  test('with two lengths, or a length and chunks, is refused', async () => {
    const request = (lengths: string) =>
      raw(
        `POST /indexes/a/search HTTP/1.1\r\nHost: a\r\n${lengths}\r\n\r\n{}GET /health HTTP/1.1\r\n\r\n`,
      );
    expect(await request('Content-Length: 2\r\nContent-Length: 3')).toMatch(/^HTTP\/1.1 400 /);
    expect(await request('Content-Length: 2\r\nTransfer-Encoding: chunked')).toMatch(
      /^HTTP\/1.1 400 /,
    );
  });

  test('one of hundreds that say nothing keeps nobody else from being answered', async () => {
    const { hostname, port } = new URL(server.url);
    const silent = Array.from({ length: 300 }, () => connect(Number(port), hostname));
    await Promise.all(
      silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))),
    );
    for (const socket of silent.slice(0, 150)) {
      socket.write('POST /indexes/a/documents HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n');
    }
    expect(await ask(`${server.url}/health`)).toEqual({ status: 'available' });
    for (const socket of silent) socket.destroy();
    expect(server.exitCode()).toBe(null);
  });
});
