import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { LongJson } from '../../src/long-json/long-json.js';

const PROGRAM = inRoot('dist', 'long-json.js');
const SETTINGS = { stopWords: ['the'], foreignKeys: [], searchCutoffMs: 7 };

function longJson(program?: string): LongJson {
  const made = new LongJson(program);
  onTestFinished(() => made.close());
  return made;
}

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

test('the thread gives what is given on the spot', async () => {
  for (const one of [longJson(PROGRAM), longJson()]) {
    const shown = await one.run('shownSetting', bytes(SETTINGS), 'stopWords');
    expect(Buffer.isBuffer(shown)).toBe(true);
    expect(shown.toString()).toBe('["the"]');
    const asked = await one.run('askedSettings', bytes(SETTINGS), 'any', { foreignKeys: true });
    expect(asked.settingNames).toEqual(['foreignKeys', 'stopWords', 'searchCutoffMs']);
    expect(JSON.parse(Buffer.from(asked.settings).toString())).toEqual(SETTINGS);
  }
});

test('refusals come with their codes, failures without, and the thread goes on', async () => {
  const one = longJson(PROGRAM);
  const refused = one.run('askedSettings', bytes({ stopWords: 1 }), 'any', {});
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_settings_stop_words',
    message:
      'Invalid value type at `.stopWords`: expected an array, but found a positive integer: `1`',
  });
  await expect(one.run('taskPage', Buffer.from('{'))).rejects.not.toHaveProperty('code');
  const shown = await one.run('shownSetting', bytes(SETTINGS), 'searchCutoffMs');
  expect(shown.toString()).toBe('7');
});

test('who waits for a thread that ends is told so, and the next one has another', async () => {
  const one = longJson(PROGRAM);
  const waiting = one.run('shownSetting', bytes(SETTINGS), 'stopWords');
  const told = expect(waiting).rejects.toThrow('the thread ended with');
  await setImmediate();
  await one.close();
  await told;
  expect((await one.run('shownSetting', bytes(SETTINGS), 'searchCutoffMs')).toString()).toBe('7');
});
