import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasPython } from '../../../scripts/python-client.mjs';
import { freePort } from '../../../scripts/server-process.mjs';
import { Bucket, objectKey } from '../../../src/backup/bucket/bucket.js';
import type { BucketOptions } from '../../../src/backup/bucket/bucket-options.js';
import { partsOf, uploadFile } from '../../../src/backup/bucket/multipart-upload.js';
import { type S3Server, startS3Server } from './s3-server.js';

const MEBIBYTE = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), 'serval-bucket-'));
const python = await hasPython();
const never = new AbortController().signal;
let server: S3Server;

beforeAll(async () => {
  if (!python) return;
  server = await startS3Server();
  await server.makeBucket('backups');
}, 12 * 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

function options(more: Partial<BucketOptions> = {}): BucketOptions {
  return {
    url: server?.url ?? 'http://127.0.0.1:1',
    region: 'us-east-1',
    name: 'backups',
    prefix: '',
    access: { accessKey: 'key', secretKey: 'secret' },
    compressionLevel: 0,
    partBytes: 5 * MEBIBYTE,
    maxInFlightParts: 2,
    signatureSeconds: 600,
    ...more,
  };
}

async function fileOf(size: number): Promise<{ path: string; content: Buffer }> {
  const path = join(folder, `${size}.bin`);
  const content = randomBytes(size);
  await writeFile(path, content);
  return { path, content };
}

/** An upload with everything that most tests leave alone. */
function upload(path: string, key: string, signal = never) {
  return { path, key, partBytes: 5 * MEBIBYTE, maxInFlight: 2, signal };
}

describe.runIf(python)('a file that is uploaded to a server of S3', () => {
  test.each([0, 1, 5 * MEBIBYTE, 11 * MEBIBYTE + 7])(
    'of %d bytes is there as it was',
    { timeout: 120_000 },
    async (size) => {
      const { path, content } = await fileOf(size);
      const arrived: number[] = [];
      const onPart = (total: number) => arrived.push(total);
      const key = objectKey('/nightly/ä b+c/', 'data.sv.snapshot');
      await uploadFile(new Bucket(options()), { ...upload(path, key), onPart });
      const found = await server.object(
        `backups/${key.split('/').map(encodeURIComponent).join('/')}`,
      );
      expect(found?.equals(content)).toBe(true);
      const count = Math.max(1, Math.ceil(size / (5 * MEBIBYTE)));
      expect(arrived).toEqual(Array.from({ length: count }, () => count));
      expect(await server.uploads('backups')).toBe(0);
    },
  );

  test('is refused for good where there is no such bucket', async () => {
    const { path } = await fileOf(10);
    const bucket = new Bucket(options({ name: 'nobodys' }));
    await expect(uploadFile(bucket, upload(path, 'a'))).rejects.toMatchObject({
      code: 'invalid_s3_snapshot_request',
      message: expect.stringMatching(/status 404\. NoSuchBucket: /),
    });
  });

  test('leaves nothing behind when it is given up on its way', { timeout: 60_000 }, async () => {
    const { path } = await fileOf(11 * MEBIBYTE);
    const controller = new AbortController();
    const onPart = () => controller.abort(new Error('given up'));
    const begun = uploadFile(new Bucket(options()), {
      ...upload(path, 'given-up', controller.signal),
      maxInFlight: 1,
      onPart,
    });
    await expect(begun).rejects.toThrow('given up');
    expect(await server.object('backups/given-up')).toBeUndefined();
    expect(await server.uploads('backups')).toBe(0);
  });

  test('may be that of a role, which is taken with the token in a file', async () => {
    const { path, content } = await fileOf(100);
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'a.web.token\n');
    const roleArn = 'arn:aws:iam::123456789012:role/backups';
    const asked: string[] = [];
    const send: typeof fetch = (url, init) => {
      asked.push(String(url));
      return fetch(url, init);
    };
    const access = { roleArn, tokenFile, stsUrl: server.url };
    const bucket = new Bucket(options({ access, fetch: send }));
    await uploadFile(bucket, upload(path, 'by-role'));
    expect((await server.object('backups/by-role'))?.equals(content)).toBe(true);
    const [sts, ...others] = asked;
    expect(sts).toBe(server.url);
    expect(others.length).toBe(3);
    expect(others.every((url) => url.includes('X-Amz-Security-Token='))).toBe(true);
  });
});

test('a request is sent again while the server cannot answer, with the same body', async () => {
  const seen: string[] = [];
  const answers = [503, 500, 200];
  const flaky = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.headers['content-length']} ${await text(request)}`);
    response.statusCode = answers[seen.length - 1] ?? 200;
    response.setHeader('etag', '"e"').end('<Error><Code>SlowDown</Code></Error>');
  }).listen(0, '127.0.0.1');
  await once(flaky, 'listening');
  onTestFinished(() => void flaky.close());
  const url = `http://127.0.0.1:${(flaky.address() as AddressInfo).port}`;
  const bucket = new Bucket(options({ url }));
  const body = () => new Blob(['once more']).stream() as ReadableStream;
  const request = { method: 'PUT', key: 'a', query: {}, body, length: 9, signal: never } as const;
  expect((await bucket.request(request)).etag).toBe('"e"');
  expect(seen).toEqual(Array.from({ length: 3 }, () => 'PUT 9 once more'));
});

test('a server that is not there is told as such', { timeout: 60_000 }, async () => {
  const bucket = new Bucket(options({ url: `http://127.0.0.1:${await freePort()}` }));
  const request = { method: 'GET', key: 'a', query: {}, signal: never } as const;
  await expect(bucket.request(request)).rejects.toMatchObject({
    code: 's3_snapshot_server_error',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a role without a readable token is told as such', async () => {
  const access = { roleArn: 'arn:aws:iam::1:role/r', tokenFile: join(folder, 'none') };
  const bucket = new Bucket(options({ access }));
  const request = { method: 'GET', key: 'a', query: {}, signal: never } as const;
  await expect(bucket.request(request)).rejects.toMatchObject({
    code: 'invalid_s3_snapshot_parameters',
  });
});

test('names and prefixes that no bucket can have are refused', () => {
  const refused = expect.objectContaining({ code: 'invalid_s3_snapshot_parameters' });
  const refusalOf = (make: () => unknown) => {
    try {
      return make();
    } catch (error) {
      return error;
    }
  };
  for (const name of ['', 'a', '../up', 'a/b', 'ä']) {
    expect(refusalOf(() => new Bucket(options({ name })))).toEqual(refused);
  }
  expect(refusalOf(() => new Bucket(options({ url: 'http://h/?a=1' })))).toEqual(refused);
  expect(refusalOf(() => objectKey('a/../b', 'n'))).toEqual(refused);
  expect(objectKey('', 'n')).toBe('n');
  expect(objectKey('//a//b/', 'n')).toBe('a/b/n');
});

test('parts cover a file without gap or overlap, and are never too many', () => {
  for (const [size, bytes] of [
    [0, 5],
    [1, 5],
    [5, 5],
    [6, 5],
    [99_999, 7],
    [1_000_003, 50],
  ] as const) {
    const parts = partsOf(size, bytes);
    let end = 0;
    for (const [place, part] of parts.entries()) {
      expect(part).toMatchObject({ number: place + 1, start: end });
      end += part.length;
    }
    expect(end).toBe(size);
    expect(parts.length).toBeLessThanOrEqual(10_000);
  }
});
