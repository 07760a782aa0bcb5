import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { decodeJson } from '../../src/validation/decode-json.js';
import { coded, positiveInteger, withRules } from '../../src/validation/field-rules.js';
import { WrittenNumber, writtenNumbers } from '../../src/validation/written-numbers.js';

const schema = z.strictObject({
  limit: coded('invalid_search_limit', positiveInteger).optional(),
  ratio: z.number().optional(),
  name: z.string().optional(),
  sizes: z.array(positiveInteger).optional(),
  either: z.union([positiveInteger, z.string()]).optional(),
  vector: z.array(z.number()).optional(),
  any: z.any(),
});

const decoded = (json: string) => decodeJson(schema, Buffer.from(json));
const messageOf = (json: string) => {
  const result = decoded(json);
  return 'problem' in result ? result.problem.message : result.value;
};

/** The numbers found, by their path, as messages show them. */
const shownNumbers = (json: string) =>
  [...writtenNumbers(json)].map(([path, { text }]) => [path, text]);

describe('a number that is whole but written as a fraction', () => {
  test.each([
    [
      '{"limit":1.0}',
      'Invalid value type at `.limit`: expected a positive integer, but found a number: `1.0`',
    ],
    [
      '{"limit":-0}',
      'Invalid value type at `.limit`: expected a positive integer, but found a number: `-0.0`',
    ],
    [
      '{"limit":1e3}',
      'Invalid value type at `.limit`: expected a positive integer, but found a number: `1000.0`',
    ],
    [
      '{"limit":1e20}',
      'Invalid value type at `.limit`: expected a positive integer, but found a number: `1e+20`',
    ],
    [
      '{"limit":18446744073709551616}',
      'Invalid value type at `.limit`: expected a positive integer, but found a number: `1.8446744073709552e+19`',
    ],
    [
      ' { "ratio" : 1.0 , "sizes" : [ 1 , 2.0 ] } ',
      'Invalid value type at `.sizes[1]`: expected a positive integer, but found a number: `2.0`',
    ],
    [
      '{"either":3.0}',
      'Invalid value type at `.either`: expected a positive integer or a string, but found a number: `3.0`',
    ],
    [
      '{"name":[1.0,{"a":2.0}]}',
      'Invalid value type at `.name`: expected a string, but found an array: `[1.0,{"a":2.0}]`',
    ],
  ])('is no integer: %s', (json, message) => {
    expect(messageOf(json)).toBe(message);
  });

  test('is taken wherever any number is', () => {
    const json = '{"ratio":1.0,"vector":[0.0,-0.0,1e2],"any":{"deep":[1.0]},"limit":3}';
    expect(decoded(json)).toEqual({
      value: { ratio: 1, vector: [0, -0, 100], any: { deep: [1] }, limit: 3 },
    });
  });

  test('is found by its path, texts that look like one are not', () => {
    const json = '{"a":"1.0","b":{"1.0":[[],"x\\"1.0",{"c":2.0}]},"d":7.0,"d":7}';
    expect(shownNumbers(json)).toEqual([['.b.1.0[2].c', '2.0']]);
    expect(shownNumbers(' 5.00')).toEqual([['', '5.0']]);
    expect(shownNumbers('{"a":10.5,"b":9007199254740991,"c":-9007199254740991}')).toEqual([]);
  });

  test('is found behind a text as long as a body may be', () => {
    const long = `${'x'.repeat(1e7)}${'\\\\\\"'.repeat(1e6)}${'1.0 '.repeat(1e6)}`;
    expect(shownNumbers(`{"q":"${long}","limit":1.0}`)).toEqual([['.limit', '1.0']]);
  });

  test('is left out at a path that no schema has, so that many of them keep nothing', () => {
    const many = '1.0,'.repeat(20_000);
    const deep = `{"${'x'.repeat(1e6)}":[${many}1.0],"limit":1.0}`;
    expect(shownNumbers(deep)).toEqual([['.limit', '1.0']]);
  });

  test('that no number can hold makes the body unreadable', () => {
    const reason = 'number out of range at line 1 column 14';
    expect(messageOf('{"limit":1e999}')).toBe(
      `The json payload provided is malformed. \`${reason}\`.`,
    );
  });
});

describe('an integer that JavaScript rounds', () => {
  const ids = z.strictObject({
    id: withRules(z.any(), { keepsDigits: true }),
    ids: withRules(z.array(z.any()).nullish(), { keepsDigits: true }),
  });
  const read = (json: string) => {
    const result = decodeJson(ids, Buffer.from(json));
    return 'problem' in result ? result.problem.message : result.value;
  };

  test.each([
    ['{"name":12345678901234567890}', 'a positive integer: `12345678901234567890`'],
    ['{"name":-9223372036854775808}', 'a negative integer: `-9223372036854775808`'],
    ['{"name":[9007199254740993]}', 'an array: `[9007199254740993]`'],
  ])('is shown to its last digit: %s', (json, found) => {
    expect(messageOf(json)).toBe(
      `Invalid value type at \`.name\`: expected a string, but found ${found}`,
    );
  });

  test('stays one of 64 bits', () => {
    expect(messageOf('{"limit":18446744073709551615,"any":1}')).toEqual({
      limit: 2 ** 53 - 1,
      any: 1,
    });
  });

  test('keeps its digits in a field that wants them, like a fraction that is whole', () => {
    expect(read('{"id":1234567890123456789,"ids":["a",9007199254740993,7,1.0]}')).toEqual({
      id: new WrittenNumber('positiveInteger', '1234567890123456789'),
      ids: [
        'a',
        new WrittenNumber('positiveInteger', '9007199254740993'),
        7,
        new WrittenNumber('number', '1.0'),
      ],
    });
  });

  test.each([
    ['{"ids[0]":1.0,"id":1}', 'Unknown field `ids[0]`: expected one of `id`, `ids`'],
    ['{"id":1,"ids":[1.0],"ids":["a"]}', { id: 1, ids: ['a'] }],
    ['{"id":1,"ids":[1.0],"ids":null}', { id: 1, ids: null }],
  ])('is not put where only a name looks like its path: %s', (json, expected) => {
    expect(read(json)).toEqual(expected);
  });
});

test('every number that is held otherwise is found, whatever stands before it', () => {
  const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})(\.\d{1,4})?([eE][+-]?\d{1,2})?$/);
  const literal = fc.tuple(fc.constantFrom('', '-'), digits).map((parts) => parts.join(''));
  const before = fc.constantFrom('', '[', '[ ', '["1.5",', '["a b",\n', '{"a":', '{"a" : \t');
  fc.assert(
    fc.property(literal, before, (number, start) => {
      const end = start.startsWith('[') ? ']' : start === '' ? '' : '}';
      const value = Number(number);
      const isInteger = /^-?\d+$/.test(number) && number !== '-0';
      const isHeld = isInteger && Number.isSafeInteger(value);
      const found = [...writtenNumbers(`${start}${number}${end}`).values()];
      expect(found.length).toBe(Number.isInteger(value) && !isHeld ? 1 : 0);
      const fits = isInteger && BigInt(number) < 2n ** 64n && BigInt(number) >= -(2n ** 63n);
      for (const { kind, text } of found) {
        if (fits) expect(text).toBe(number);
        else expect(kind).toBe('number');
      }
    }),
  );
});
