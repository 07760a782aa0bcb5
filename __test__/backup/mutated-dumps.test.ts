import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImportError } from '../../src/backup/import-error.js';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import type { Serval } from '../../src/serval.js';
import { SEED } from '../seed.js';
import { BLOCK, entries, makeDump, outcome } from './dump-archives.js';
import { archiveOf, type DumpFile, mutations } from './dump-mutations.js';

const PARAMETERS = { numRuns: 120, seed: SEED };
const MASTER_KEY = 'a-master-key-for-tests';

let folder: string;
let files: DumpFile[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serval-mutated-'));
  const dump = await makeDump(folder);
  files = entries(dump).map(({ start, size, path }) => ({
    path,
    content: Buffer.from(dump.subarray(start + BLOCK, start + BLOCK + size)),
  }));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Asks for all that a dump brings; what was taken must be there to be read. */
async function readAll(db: Serval): Promise<void> {
  const app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6, masterKey: MASTER_KEY });
  try {
    const ask = async (method: 'GET' | 'POST', url: string) => {
      const response = await app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${MASTER_KEY}` },
        ...(method === 'POST' ? { payload: {} } : {}),
      });
      expect({ url, body: response.body, isFailure: response.statusCode >= 500 }).toMatchObject({
        isFailure: false,
      });
      return response.json();
    };
    for (const path of ['tasks', 'batches', 'keys', 'stats', 'webhooks', 'network', 'chats']) {
      await ask('GET', `/${path}?limit=1000`);
      await ask('GET', `/${path}`);
    }
    await ask('GET', '/experimental-features');
    await ask('GET', '/version');
    const { results } = await ask('GET', '/indexes?limit=1000');
    for (const { uid } of results as { uid: string }[]) {
      for (const path of ['settings', 'stats', 'documents', 'search']) {
        await ask('GET', `/indexes/${encodeURIComponent(uid)}/${path}`);
      }
    }
  } finally {
    await app.close();
  }
}

test('the dump that is mutated is imported, and all of it can be read', async () => {
  expect(await outcome(folder, gzipSync(archiveOf(files)), readAll)).toBeUndefined();
});

test('a dump that says anything is imported whole and can be read, or is refused with a reason', {
  timeout: 20 * 60_000,
}, async () => {
  let refused = 0;
  let imported = 0;
  await fc.assert(
    fc.asyncProperty(mutations, async (changes) => {
      const changed = changes.reduce((all, change) => change(all), files);
      const archive = gzipSync(archiveOf(changed), { level: 1 });
      const error = await outcome(folder, archive, readAll);
      expect(existsSync(join(folder, 'outside')) || existsSync('/tmp/serval-outside')).toBe(false);
      if (error === undefined) {
        imported += 1;
        return;
      }
      refused += 1;
      expect(error).toBeInstanceOf(ImportError);
      expect((error as Error).message).toMatch(/^the dump ".*" cannot be imported: ./s);
    }),
    PARAMETERS,
  );
  expect(Math.min(refused, imported)).toBeGreaterThan(PARAMETERS.numRuns / 10);
});
