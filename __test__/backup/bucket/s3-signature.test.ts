import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ensureS3Server, hasPython, S3_SERVER } from '../../../scripts/python-client.mjs';
import { type Credentials, encoded, signedUrl } from '../../../src/backup/bucket/s3-signature.js';

const KEYS = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

test('the example in the documentation of AWS gets the signature that it names', () => {
  const url = signedUrl(
    {
      method: 'GET',
      origin: 'https://examplebucket.s3.amazonaws.com',
      path: '/test.txt',
      query: {},
      region: 'us-east-1',
      at: new Date('2013-05-24T00:00:00Z'),
      validSeconds: 86_400,
    },
    KEYS,
  );
  expect(new URL(url).searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

interface Case {
  method: string;
  origin: string;
  path: string;
  query: Record<string, string>;
  region: string;
  at: string;
  validSeconds: number;
}

const KEY_PARTS = [
  'a',
  'snapshots of 2026',
  'ä/ö',
  'plus+and&',
  "it's(1)*!",
  '~_-.',
  '100%',
  '日本',
];

const cases: (Case & Credentials)[] = KEY_PARTS.flatMap((part, place) => [
  {
    ...KEYS,
    method: 'PUT',
    origin: 'https://s3.eu-central-1.amazonaws.com',
    path: `/bucket/${part.split('/').map(encoded).join('/')}/data.sv.snapshot`,
    query: { partNumber: String(place + 1), uploadId: `${part}=/+` },
    region: 'eu-central-1',
    at: `2026-0${place + 1}-09T0${place}:05:07+00:00`,
    validSeconds: 28_800 + place,
  },
  {
    ...KEYS,
    sessionToken: `token/${part}+=`,
    method: 'POST',
    origin: 'http://127.0.0.1:9000',
    path: `/bucket/${encoded(part)}`,
    query: { uploads: '' },
    region: 'us-east-1',
    at: '2026-12-31T23:59:59+00:00',
    validSeconds: 60,
  },
]);

const python = await hasPython();

test.runIf(python)(
  'addresses are signed as the SDK of AWS for Python signs them',
  { timeout: 12 * 60_000 },
  async () => {
    const child = spawn(await ensureS3Server(), ['-B', 'presign.py'], { cwd: S3_SERVER });
    child.stdin.end(cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const [lines, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const expected = lines.trim().split('\n').map(parts);
    expect(errors).toBe('');
    expect(
      cases.map(({ at, ...one }) => parts(signedUrl({ ...one, at: new Date(at) }, one))),
    ).toEqual(expected);
  },
);

/** An address without the order of its parameters, which signatures do not depend on. */
function parts(url: string): unknown {
  const { origin, pathname, searchParams } = new URL(url);
  return { origin, pathname, query: [...searchParams].sort() };
}
