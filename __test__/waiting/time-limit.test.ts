import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { timeLimit } from '../../src/waiting/time-limit.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What a combined signal is aborted with, when nothing else holds its time limit. */
function reasonOfCombined(): Promise<unknown> {
  const other = new AbortController();
  const signal = AbortSignal.any([other.signal, timeLimit(100)]);
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve((signal.reason as Error).name)),
  );
}

test('a time limit that is part of another signal ends it, whatever garbage was collected', async () => {
  const reason = reasonOfCombined();
  for (let round = 0; round < 5; round += 1) {
    await delay(5);
    collectGarbage();
  }

  expect(await Promise.race([reason, delay(5000, 'never')])).toBe('TimeoutError');
});

test.each([3e9, 1e15, Number.POSITIVE_INFINITY])(
  'a time limit of %d ms, more than timers take, is not over at once',
  async (ms) => {
    const signal = timeLimit(ms);
    await delay(20);
    expect(signal.aborted).toBe(false);
  },
);

test('a time limit of no or less time is over at once, and one of a part of a millisecond soon', async () => {
  const signals = [-5, 0, 0.5].map(timeLimit);
  await delay(20);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
});

test('no other timeouts are combined with signals', () => {
  const files = readdirSync(inRoot('src'), { recursive: true, encoding: 'utf8' });
  const combining = files
    .filter((name) => name.endsWith('.ts') && name !== join('waiting', 'time-limit.ts'))
    .filter((name) => {
      const text = readFileSync(join(inRoot('src'), name), 'utf8').replace(/^\s*\*.*$/gm, '');
      return text.includes('AbortSignal.any(') && text.includes('AbortSignal.timeout(');
    });

  expect(combining).toEqual([]);
});
