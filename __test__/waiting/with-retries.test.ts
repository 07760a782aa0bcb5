import { expect, test } from 'vitest';
import { doublingPauses, PassingFailure, withRetries } from '../../src/waiting/with-retries.js';

const never = new AbortController().signal;

/** A try that fails so many times, each time with another error. */
function failing(times: number) {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries <= times) throw new PassingFailure(new Error(`try ${tries}`));
    return tries;
  };
}

test('tries follow each other until one succeeds', async () => {
  const seen: string[] = [];
  const pauses = (retry: number, { message }: Error) => {
    seen.push(`${retry}: ${message}`);
    return 1;
  };
  expect(await withRetries(failing(2), pauses, never)).toBe(3);
  expect(seen).toEqual(['0: try 1', '1: try 2']);
});

test('after the last try its reason is thrown', async () => {
  const reason = new Error('try 3');
  await expect(withRetries(failing(9), doublingPauses(1, 2), never)).rejects.toEqual(reason);
});

test('a failure that does not pass is thrown at once', async () => {
  const reason = new Error('for good');
  const pauses = () => expect.unreachable();
  await expect(withRetries(() => Promise.reject(reason), pauses, never)).rejects.toBe(reason);
});

test('each pause is twice as long as the one before', () => {
  const pauses = doublingPauses(250, 3);
  expect([0, 1, 2, 3].map((retry) => pauses(retry, new Error()))).toEqual([
    250,
    500,
    1000,
    undefined,
  ]);
});

test('who gives up in a pause hears at once of the failure before it', async () => {
  const stop = new AbortController();
  const pauses = () => {
    setTimeout(() => stop.abort(), 10);
    return 2 ** 31 - 1;
  };
  await expect(withRetries(failing(9), pauses, stop.signal)).rejects.toThrow('try 1');
});
