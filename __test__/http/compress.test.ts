import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import type { IndexReader, Services } from '../../src/http/services.js';
import { fakeServices } from './fake-services.js';

/** A server whose searches answer with so many bytes. */
async function serverAnswering(bytes: number) {
  const { services } = fakeServices();
  const reader = {
    search: async () => Buffer.alloc(bytes, '1'),
    recall: () => undefined,
  } as unknown as IndexReader;
  const answering: Services = {
    ...services,
    indexes: { ...services.indexes, reader: async () => reader },
  };
  return createServer(answering, { payloadSizeLimit: 1000 });
}

const search = (encodings: string) =>
  ({
    method: 'POST',
    url: '/indexes/a/search',
    payload: {},
    headers: { 'accept-encoding': encodings },
  }) as const;

test.each([
  ['gzip, deflate, br', 'gzip', gunzipSync],
  ['br', 'br', brotliDecompressSync],
  ['gzip;q=0.5', 'gzip', gunzipSync],
  ['br;q=0, deflate', 'deflate', inflateSync],
])('a large answer to %s is compressed with %s', async (accepted, encoding, decompress) => {
  const app = await serverAnswering(10_000);
  const response = await app.inject(search(accepted));
  expect(response.headers['content-encoding']).toBe(encoding);
  expect(decompress(response.rawPayload)).toEqual(Buffer.alloc(10_000, '1'));
  expect(response.headers['content-length']).toBe(String(response.rawPayload.length));
});

test('a small answer, or one to a client that cannot read it, is not compressed', async () => {
  const small = await (await serverAnswering(100)).inject(search('gzip, deflate'));
  expect(small.headers['content-encoding']).toBeUndefined();
  const plain = await (await serverAnswering(10_000)).inject(search('identity'));
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.rawPayload).toHaveLength(10_000);
});

test('a small answer to a client that names one encoding alone is compressed with it', async () => {
  const app = await serverAnswering(100);
  const small = await app.inject(search('gzip'));
  expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(gunzipSync(small.rawPayload)).toEqual(Buffer.alloc(100, '1'));
  const health = { url: '/health', headers: { 'accept-encoding': 'br' } };
  const written = await app.inject(health);
  expect(JSON.parse(brotliDecompressSync(written.rawPayload).toString())).toEqual({
    status: 'available',
  });
  expect((await app.inject(search('identity'))).headers['content-encoding']).toBeUndefined();
});
