import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { overloadRun } from '../../soak/overload/run.mjs';
import { SEED } from '../seed.js';

const LONGEST_MS = 20 * 60_000;

test('floods and clients up to no good are answered as documented, and leave no handle, file or memory behind', {
  timeout: LONGEST_MS,
}, async (context) => {
  if (process.platform !== 'linux') context.skip('handles of a process are read from /proc');
  // How soon it recovers says more of the machine than of the server; that it does must hold anywhere.
  const recovery = { withinMs: Number.POSITIVE_INFINITY, times: Number.POSITIVE_INFINITY };
  const run = { films: 300, seconds: 1, clients: 20, seed: SEED, recovery };
  const { wrong, folder } = await overloadRun(run);
  expect(wrong, `npm run soak -- overload --seed ${SEED}`).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});
