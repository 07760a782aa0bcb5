import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { crashRounds } from '../../soak/crash/rounds.mjs';
import { SEED } from '../seed.js';

const ROUNDS = 30;
/** Those after which it is certain what a server answers. */
const FAULTS = ['kill', 'out of memory', 'full disk'];
const LONGEST_MS = 20 * 60_000;

test('whatever was acknowledged before a kill, or before a disk was full, is there once and whole after it', {
  timeout: LONGEST_MS,
}, async () => {
  const { bad, writes } = await crashRounds({ rounds: ROUNDS, seed: SEED, faults: FAULTS });
  for (const { seed: again, folder, what, wrong } of bad) {
    const replay = `npm run soak -- crash --rounds 1 --faults '${FAULTS}' --seed ${again}`;
    expect(wrong, `${replay}, ${what}, data in ${folder}`).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  }
  expect(writes).toBeGreaterThan(ROUNDS);
});
