import { expect, test } from 'vitest';
import { linesOf } from '../../page/api/lines.js';
import { filterOf } from '../../page/search/filter.js';
import {
  FIELD_GROUPS,
  kindFor,
  settingOfCode,
  textFor,
  valueFrom,
} from '../../page/settings/fields.js';
import { checkFilter } from '../../src/native/filter.js';
import { SETTING_NAMES, SETTINGS } from '../../src/settings/settings-schema.js';

async function linesOfChunks(chunks: readonly Uint8Array[]): Promise<string[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const lines: string[] = [];
  for await (const line of linesOf(stream)) lines.push(line);
  return lines;
}

test('lines of a stream are the same wherever it is cut, within a letter too', async () => {
  const bytes = new TextEncoder().encode('{"a":"é"}\n\r\n{"b":"日本"}\nlast');
  for (let at = 0; at <= bytes.length; at++) {
    const lines = await linesOfChunks([bytes.subarray(0, at), bytes.subarray(at)]);
    expect(lines.filter((line) => line !== '')).toEqual(['{"a":"é"}', '{"b":"日本"}', 'last']);
  }
});

test('values of documents never break out of a filter', () => {
  const values = ['plain', 'a "quoted" word', 'ends in \\', "it's", 'x" OR id = "1', 'two\nlines'];
  for (const value of values) {
    const filter = filterOf(new Map([[value, new Set([value])]]), new Map(), '');
    expect(filter).toHaveLength(1);
    expect(checkFilter(JSON.stringify(filter))).toBeUndefined();
  }
});

test('every setting can be edited, each in one place', () => {
  const names = FIELD_GROUPS.flatMap(([, fields]) => fields.map(({ name }) => name));
  expect(names.sort()).toEqual([...SETTING_NAMES].sort());
});

test('a refused setting is found by its code, every one of them', () => {
  for (const name of SETTING_NAMES) {
    const path = SETTINGS[name].path.replaceAll('-', '_');
    expect(settingOfCode(`invalid_settings_${path}`)).toBe(name);
  }
});

test.each([
  ['lines', ['b', 'a'], 'b\na'],
  ['lines', [], ''],
  ['lines', [{ attributePatterns: ['*'] }], undefined],
  ['json', { a: ['b'] }, undefined],
  ['number', 12, '12'],
  ['number', null, ''],
  ['switch', false, 'false'],
  ['text', null, ''],
] as const)('a setting edited as %s keeps its value %j', (kind, value, text) => {
  const used = kindFor(kind, value);
  const written = textFor(used, value);
  if (text !== undefined) expect(written).toBe(text);
  expect(valueFrom(used, written)).toEqual(value);
});
