import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { fakeServices, type Received } from './fake-services.js';

const LIMIT = 300_000;

let app: FastifyInstance;
let received: Received;
beforeAll(async () => {
  const fake = fakeServices();
  received = fake.received;
  app = await createServer(fake.services, { payloadSizeLimit: LIMIT });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** Sends a body in pieces of unknown total length. */
function sendPieces(path: string, pieces: readonly Buffer[], agent?: Agent): Promise<Answer> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const sent = request({ port, path, method: 'POST', headers, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    sent.on('error', reject);
    for (const piece of pieces) sent.write(piece);
    sent.end();
  });
}

const leftFiles = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`serval-${process.pid}-`));

test('a body of unknown length goes through a file once it is large', async () => {
  const piece = Buffer.from('{"id":1}\n'.repeat(5000));
  const answer = await sendPieces('/indexes/a/documents', [piece, piece, piece]);
  expect(answer.status).toBe(202);
  expect(received.payloads.at(-1)).toMatchObject({ bytes: 3 * piece.length, from: 'file' });
  expect(leftFiles()).toEqual([]);
});

test('a body that grows over the limit is refused, and leaves no file', async () => {
  const piece = Buffer.alloc(LIMIT / 2, ' ');
  const answer = await sendPieces('/indexes/a/documents', [piece, piece, piece]);
  expect(answer.status).toBe(413);
  expect(JSON.parse(answer.body)).toMatchObject({
    message:
      'The provided payload reached the size limit. The maximum accepted payload size is 300 kB.',
  });
  expect(leftFiles()).toEqual([]);
});

test('a refused request does not spoil the connection for the next one', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const refused = await sendPieces('/indexes/no%20uid/documents', [Buffer.from('{"id":1}')], agent);
  expect(refused.status).toBe(400);
  const taken = await sendPieces('/indexes/a/documents', [Buffer.from('{"id":1}')], agent);
  expect(taken.status).toBe(202);
  agent.destroy();
});
