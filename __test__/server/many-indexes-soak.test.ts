import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { indexesRun } from '../../soak/indexes/run.mjs';
import { SEED } from '../seed.js';

/** More than may be awake. */
const INDEXES = 430;
const SECONDS = 10;
const LONGEST_MS = 20 * 60_000;

test('more indexes than may be awake answer as the model says, cost no more than a few, and survive kills', {
  timeout: LONGEST_MS,
}, async (context) => {
  if (process.platform !== 'linux') context.skip('what a process has open is read from /proc');
  const { wrong, folder } = await indexesRun({ indexes: INDEXES, seconds: SECONDS, seed: SEED });
  const replay = `npm run soak -- indexes --indexes ${INDEXES} --seconds ${SECONDS} --seed ${SEED}`;
  expect(wrong, `${replay}, data in ${folder}`).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});
