import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadRun } from '../../soak/load/run.mjs';
import { SEED } from '../seed.js';

const LONGEST_MS = 20 * 60_000;

test('under reads, writes, settings, swaps, snapshots and clients that leave, nothing fails and no file stays', {
  timeout: LONGEST_MS,
}, async (context) => {
  if (process.platform !== 'linux') context.skip('handles of a process are read from /proc');
  const run = { minutes: 3, secondsPerMinute: 5, reads: 20, writes: 4, films: 300, seed: SEED };
  const { wrong, folder } = await loadRun(run);
  const replay = `npm run soak -- load --minutes 3 --seconds-per-minute 5 --films 300 --reads 20 --writes 4 --seed ${SEED}`;
  expect(wrong, replay).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});
