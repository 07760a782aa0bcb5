import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { crashRounds } from '../../bench/crash/rounds.mjs';

const ROUNDS = 30;
const LONGEST_MS = 6 * 60_000;

test('whatever was acknowledged before a kill is there once and whole after it', {
  timeout: LONGEST_MS,
}, async () => {
  const seed = Date.now() % 1_000_000;
  const replay = `npm run bench -- crash --rounds ${ROUNDS} --seed ${seed}`;
  const { folder, wrong, writes } = await crashRounds({ rounds: ROUNDS, seed });
  expect(wrong, `${replay}, data in ${folder}`).toEqual([]);
  await rm(folder, { recursive: true, force: true });
  expect(writes, replay).toBeGreaterThan(ROUNDS);
});
