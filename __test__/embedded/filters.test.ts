import { describe, expect, test } from 'vitest';
import {
  and,
  filter,
  geoBoundingBox,
  geoPolygon,
  geoRadius,
  not,
  or,
  Serval,
  where,
} from '../../src/index.js';

const attribute = where();

describe('a filter that is built', () => {
  test.each([
    [attribute('year').is(1970), 'year = 1970'],
    [attribute('year').between(-1.5, 2), 'year -1.5 TO 2'],
    [attribute('year').is(1e21), 'year = "1e+21"'],
    [attribute('seen').isNot(true), 'seen != true'],
    [attribute('genres').notIn(['a', 'b']), 'genres NOT IN ["a", "b"]'],
    [attribute('genres').in([]), 'genres IN []'],
    [attribute('title').startsWith('The "'), 'title STARTS WITH "The \\""'],
    [attribute('first name').isEmpty(), '"first name" IS EMPTY'],
    [attribute('IN').isMissing(), '"IN" NOT EXISTS'],
    [geoRadius({ lat: 1.5, lng: -2 }, 100), '_geoRadius(1.5, -2, 100)'],
    [geoBoundingBox({ lat: 2, lng: 2 }, { lat: 1, lng: 1 }), '_geoBoundingBox([2, 2], [1, 1])'],
    [
      geoPolygon({ lat: 1, lng: 1 }, { lat: 2, lng: 2 }, { lat: 3, lng: 1 }),
      '_geoPolygon([1, 1], [2, 2], [3, 1])',
    ],
  ])('%#: has the text of the filter language', (built, text) => {
    expect(String(built)).toBe(text);
    expect(JSON.stringify({ built })).toBe(JSON.stringify({ built: text }));
  });

  test('puts parentheses where operators need them, and nowhere else', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => attribute(name).exists()) as [
      ReturnType<typeof not>,
      ReturnType<typeof not>,
      ReturnType<typeof not>,
    ];

    expect(String(and(a, or(b, c)))).toBe('a EXISTS AND (b EXISTS OR c EXISTS)');
    expect(String(or(a, and(b, c)))).toBe('a EXISTS OR b EXISTS AND c EXISTS');
    expect(String(not(and(a, b)))).toBe('NOT (a EXISTS AND b EXISTS)');
    expect(String(not(not(a)))).toBe('NOT NOT a EXISTS');
    expect(String(a.not().and(b))).toBe('NOT a EXISTS AND b EXISTS');
    expect(String(and(a))).toBe('a EXISTS');
    expect(String(filter`${or(a, b)} AND c IN ${[1, 'x']}`)).toBe(
      '(a EXISTS OR b EXISTS) AND c IN [1, "x"]',
    );
  });

  test('refuses numbers that are none', () => {
    expect(() => attribute('year').is(Number.NaN)).toThrow(TypeError);
  });

  test.each([undefined, null, {}, new Date(0)])('refuses %s, which is no value', (missing) => {
    const value = missing as never;
    const refusal = 'cannot stand in a filter';
    expect(() => attribute('tenant').isNot(value)).toThrow(refusal);
    expect(() => attribute('tenant').in([value])).toThrow(refusal);
    expect(() => filter`tenant = ${value}`).toThrow(refusal);
  });

  test('finds exactly the document with a value, whatever is in the value', async () => {
    await using db = await Serval.memory();
    const values = [
      'plain',
      'two words',
      'quote " inside',
      "apostrophe ' inside",
      'ends with \\',
      '\\" both',
      'C:\\new\\table\\x41\\u0041',
      'a" OR id > 0 OR name = "b',
      'line\nbreak\tand tab',
      '_geoRadius(1, 2, 3)',
      'AND',
      'ünïcödé 漢字 🦊',
      '$&` {x}',
    ];
    const index = db.index<{ id: number; name: string; 'odd name': string }>('odd');
    await (await index.updateSettings({ filterableAttributes: ['name', 'odd name'] })).wait();
    const rows = values.map((name, id) => ({ id, name, 'odd name': name }));
    await (await index.addDocuments(rows)).wait();

    for (const [id, value] of values.entries()) {
      for (const built of [
        index.where('name').is(value),
        index.where('odd name').in([value]),
        filter`name = ${value}`,
        not(index.where('name').isNot(value)),
      ]) {
        const { hits } = await index.search('', { filter: built });
        expect({ value, ids: hits.map((hit) => hit.id) }).toEqual({ value, ids: [id] });
      }
    }
  });
});
