import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { answerTo } from '../native/engine-answer.js';
import { fakeServices } from './fake-services.js';

/** More than the system holds for a connection. */
const LARGE = 64 * 1024 * 1024;

/** A server with `GET /large`. */
async function answering(answer: Buffer, options = {}): Promise<FastifyInstance> {
  const { services } = fakeServices();
  const app = await createServer(services, { payloadSizeLimit: 1024, ...options });
  app.get('/large', () => answer);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return app;
}

const portOf = (app: FastifyInstance): number => (app.server.address() as AddressInfo).port;

/** An answer of the engine of some bytes. */
const engineAnswer = (length: number): Promise<Buffer> => answerTo('abc '.repeat(length / 4));

/** The body of `GET /large`, taken piece by piece with pauses. */
async function takenSlowly(app: FastifyInstance, headers = {}): Promise<Buffer> {
  const sent = request({ port: portOf(app), path: '/large', headers }).end();
  const [response] = await once(sent, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of response) {
    pieces.push(piece as Buffer);
    if (pieces.length % 64 === 0) await delay(5);
  }
  return Buffer.concat(pieces);
}

test('a client that takes nothing of a large answer is cut off', async () => {
  const app = await answering(Buffer.alloc(LARGE), { stalledAnswerMs: 50 });
  const client = connect(portOf(app), '127.0.0.1').pause();
  onTestFinished(() => {
    client.destroy();
  });
  const [connection] = (await once(app.server, 'connection')) as [Socket];
  const closed = once(connection, 'close');
  client.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await closed;
});

test('a large answer is freed when all of it was sent, and not before', async () => {
  const answer = await engineAnswer(LARGE / 8);
  const before = Buffer.from(answer);
  const app = await answering(answer);
  const taken = await takenSlowly(app);
  expect(taken.equals(before)).toBe(true);
  await expect.poll(() => answer.length).toBe(0);
});

test('a large answer is freed when it was compressed', async () => {
  const answer = await engineAnswer(LARGE / 16);
  const before = Buffer.from(answer);
  const app = await answering(answer);
  const taken = await takenSlowly(app, { 'accept-encoding': 'gzip' });
  expect(gunzipSync(taken).equals(before)).toBe(true);
  expect(answer).toHaveLength(0);
});

test('a buffer that is no answer of the engine can be sent again', async () => {
  const page = Buffer.alloc(100_000, 'a');
  const app = await answering(page);
  expect(await takenSlowly(app)).toHaveLength(page.length);
  expect(await takenSlowly(app)).toEqual(page);
});
