import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { compressAnswer } from '../../src/native/answer.js';
import { fakeServices, type Received } from './fake-services.js';

const LIMIT = 1_000_000;

let app: FastifyInstance;
let received: Received;
beforeAll(async () => {
  const fake = fakeServices();
  received = fake.received;
  app = await createServer(fake.services, { payloadSizeLimit: LIMIT });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

const compressZstd = (bytes: Buffer): Promise<Buffer> => compressAnswer(bytes, 'zstd');

async function send(path: string, body: Buffer) {
  const { port } = app.server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'zstd' },
    body: new Uint8Array(body),
  });
}

test('documents and requests compressed with zstd are taken on every runtime', async () => {
  const documents = Buffer.from(JSON.stringify([{ id: 1, text: 'x'.repeat(500_000) }]));
  const added = await send('/indexes/a/documents', await compressZstd(documents));
  expect(added.status).toBe(202);
  expect(received.payloads.at(-1)).toMatchObject({ bytes: documents.length, from: 'file' });
  const searched = await send('/indexes/a/search', await compressZstd(Buffer.from('{"q":"x"}')));
  expect(searched.status).toBe(200);
  expect(received.searches.at(-1)).toMatchObject({ q: 'x' });
});

test.each(['/indexes/a/documents', '/indexes/a/search'])(
  'a decompression bomb to %s is stopped at the limit of a body',
  async (path) => {
    const bomb = await compressZstd(Buffer.alloc(200_000_000, ' '));
    expect(bomb.length).toBeLessThan(100_000);
    const before = process.memoryUsage().rss;
    const answer = await send(path, bomb);
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large' });
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  },
);

test.each([
  ['broken off', (bytes: Buffer) => bytes.subarray(0, -2)],
  ['no zstd', () => Buffer.from('{"q":"x"}')],
])('a body that is %s is refused', async (_, change) => {
  const bytes = change(await compressZstd(Buffer.from('{"q":"a longer query to compress"}')));
  const answer = await send('/indexes/a/search', bytes);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    code: 'bad_request',
    message: 'The provided payload is incomplete and cannot be parsed',
  });
});
