import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readEach } from '../../src/indexes/read-each.js';

const uids = Array.from({ length: 20 }, (_, number) => `index${number}`);

test('indexes are read in order, a few at a time, and those that cannot be read are missing', async () => {
  let running = 0;
  let most = 0;
  const reader = async (uid: string) => {
    running += 1;
    most = Math.max(most, running);
    await delay(uid === 'index0' ? 20 : 1);
    running -= 1;
    if (uid === 'index3') throw new Error('damaged');
    return uid === 'index5' ? undefined : uid.toUpperCase();
  };
  const read = async (found: string) => {
    if (found === 'INDEX7') throw new Error('damaged');
    return found.length;
  };
  const found = await readEach({ reader }, uids, read);
  const readable = uids.filter((uid) => !['index3', 'index5', 'index7'].includes(uid));
  expect([...found]).toEqual(readable.map((uid) => [uid, uid.length]));
  expect(most).toBe(4);
});
