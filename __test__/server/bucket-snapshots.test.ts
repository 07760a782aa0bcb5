import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasPython } from '../../scripts/python-client.mjs';
import { Serval } from '../../src/serval.js';
import { type S3Server, startS3Server } from '../backup/bucket/s3-server.js';
import { films, newFolder, start } from './servers.js';
import { ask, ended, type ShownTask, write } from './talk.js';

const MINUTE_MS = 60_000;
const python = await hasPython();
let s3: S3Server;

beforeAll(async () => {
  if (!python) return;
  s3 = await startS3Server();
  await s3.makeBucket('backups');
}, 12 * MINUTE_MS);
afterAll(() => s3?.stop());

/** The options of a bucket of the server of S3. */
function bucketArgs(name: string, url = s3.url): string[] {
  const options = {
    'bucket-url': url,
    'bucket-region': 'us-east-1',
    'bucket-name': name,
    'snapshot-prefix': 'nightly/shop',
    'access-key': 'key',
    'secret-key': 'secret',
  };
  return Object.entries(options).map(([option, value]) => `--s3-${option}=${value}`);
}

describe.runIf(python)('snapshots of a server with a bucket', { timeout: 3 * MINUTE_MS }, () => {
  test('are in the bucket, not on the machine, and can be started from', async () => {
    const folder = await newFolder();
    const { url } = await start(folder, ...bucketArgs('backups'));
    await write(url, 'POST', '/indexes/films/documents', await films());
    expect(await write(url, 'POST', '/snapshots')).toMatchObject({
      type: 'snapshotCreation',
      status: 'succeeded',
      error: null,
    });
    const snapshot = await s3.object('backups/nightly/shop/data.sv.snapshot');
    expect(gunzipSync(snapshot ?? '').length).toBeGreaterThan(100_000);
    expect(existsSync(join(folder, 'snapshots'))).toBe(false);
    expect(existsSync(join(folder, 'data.sv', 'uploads'))).toBe(false);

    const other = await newFolder();
    await writeFile(join(other, 'a.snapshot'), snapshot ?? '');
    const restored = await start(other, '--import-snapshot', 'a.snapshot');
    const stats = await ask<object>(`${restored.url}/indexes/films/stats`);
    expect(stats).toMatchObject({ numberOfDocuments: 500 });
  });

  test('are named by their address in the bucket, in programs', async () => {
    const path = join(await newFolder(), 'data.sv');
    await using db = await Serval.open(path, {
      snapshotBucket: {
        url: s3.url,
        region: 'us-east-1',
        name: 'backups',
        prefix: '/embedded/shop/',
        access: { accessKey: 'key', secretKey: 'secret' },
        compressionLevel: 0,
        partBytes: 5 * 2 ** 20,
        maxInFlightParts: 1,
        signatureSeconds: 600,
      },
    });
    const address = await db.snapshot();
    expect(address).toBe('s3://backups/embedded/shop/data.sv.snapshot');
    expect(await s3.object(address.slice('s3://'.length))).toBeDefined();
    expect(existsSync(join(path, 'snapshots'))).toBe(false);
  });

  test('of the schedule go there, too', async () => {
    const args = [...bucketArgs('backups'), '--schedule-snapshot=1', '--s3-snapshot-prefix=often'];
    const given = args.filter((arg) => arg !== '--s3-snapshot-prefix=nightly/shop');
    const { url } = await start(await newFolder(), ...given);
    for (;;) {
      const { results } = await ask<{ results: ShownTask[] }>(
        `${url}/tasks?types=snapshotCreation`,
      );
      const first = results.at(-1);
      if (first === undefined) continue;
      expect(await ended(url, first.uid)).toMatchObject({ status: 'succeeded', error: null });
      break;
    }
    expect(await s3.object('backups/often/data.sv.snapshot')).toBeDefined();
  });

  test('fail with the reason of the service, and leave nothing behind', async () => {
    const folder = await newFolder();
    const { url } = await start(folder, ...bucketArgs('nobodys'));
    expect(await write(url, 'POST', '/snapshots')).toMatchObject({
      status: 'failed',
      error: {
        code: 'invalid_s3_snapshot_request',
        message: expect.stringContaining('NoSuchBucket'),
      },
    });
    expect(existsSync(join(folder, 'data.sv', 'uploads'))).toBe(false);
    expect(await write(url, 'POST', '/indexes', { uid: 'a' })).toMatchObject({
      status: 'succeeded',
    });
  });
});

test('a snapshot whose upload hangs can be canceled', { timeout: MINUTE_MS }, async () => {
  let reached: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const silent = createServer(() => reached()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => silent.closeAllConnections());
  onTestFinished(() => void silent.close());
  const service = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { url } = await start(await newFolder(), ...bucketArgs('backups', service));
  const { taskUid } = await ask<{ taskUid: number }>(`${url}/snapshots`, 'POST');
  await asked;
  await ask(`${url}/tasks/cancel?uids=${taskUid}`, 'POST');
  expect(await ended(url, taskUid)).toMatchObject({ status: 'canceled', error: null });
});
