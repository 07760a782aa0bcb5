import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImportError } from '../../src/backup/import-error.js';
import { randomFrom } from '../tasks/random.js';
import { BLOCK, entries, makeDump, outcome } from './dump-archives.js';

const ROUNDS = 120;

let folder: string;
let dump: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serval-broken-'));
  dump = await makeDump(folder);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the dump itself holds waiting tasks, and is imported', async () => {
  const paths = entries(dump).map(({ path }) => path);
  expect(paths.filter((path) => path.startsWith('tasks/update_files/'))).toHaveLength(2);
  expect(await outcome(folder, gzipSync(dump))).toBeUndefined();
});

test('a mutated dump is imported whole or refused with a reason, and leaves nothing behind', {
  timeout: 180_000,
}, async () => {
  const { below: pick } = randomFrom(7);
  const all = entries(dump);
  let nRefused = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const mutated = Buffer.from(dump);
    const { start, size } = all[pick(all.length)] as (typeof all)[number];
    const kind = pick(4);
    // Most of what a dump says is in the contents; headers are tried apart, in Rust.
    for (let flips = 0; flips <= pick(3) && size > 0; flips += 1) {
      const at = start + BLOCK + pick(Math.min(size, 2000));
      mutated[at] = kind === 0 ? pick(256) : '0123456789"{}[],:nulltrue-.\n'.charCodeAt(pick(28));
    }
    if (kind === 1) mutated.copyWithin(start + BLOCK, start + BLOCK + pick(Math.max(size, 1)));
    let archive = gzipSync(mutated, { level: 1 });
    if (kind === 2) archive[pick(archive.length)] = pick(256);
    if (kind === 3) archive = archive.subarray(0, archive.length - pick(40));
    const error = await outcome(folder, archive);
    if (error === undefined) continue;
    nRefused += 1;
    expect(error).toBeInstanceOf(ImportError);
  }
  expect(nRefused).toBeGreaterThan(ROUNDS / 4);
});

test('each part of a dump that is missing or of another kind is named', {
  timeout: 60_000,
}, async () => {
  for (const { start, size, path } of entries(dump)) {
    if (!/\.jsonl?$/.test(path) || size === 0) continue;
    const mutated = Buffer.from(dump);
    mutated.fill('[', start + BLOCK, start + BLOCK + size);
    const error = await outcome(folder, gzipSync(mutated, { level: 1 }));
    expect(error, path).toBeInstanceOf(ImportError);
    expect((error as Error).message).toContain(path);
  }
});
