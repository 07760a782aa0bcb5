import { describe, expect, test } from 'vitest';
import { jsonError } from '../../src/validation/json-error.js';
import { randomSource } from './random-source.js';

describe('the error of a broken JSON text', () => {
  test.each([
    ['{"a":', 'EOF while parsing a value at line 1 column 5'],
    ['{"q": "copper"', 'EOF while parsing an object at line 1 column 14'],
    ['{', 'EOF while parsing an object at line 1 column 1'],
    ['{"a"', 'EOF while parsing an object at line 1 column 4'],
    ['{"a" 1}', 'expected `:` at line 1 column 6'],
    ['{a:1}', 'key must be a string at line 1 column 2'],
    ['{"a":1,}', 'trailing comma at line 1 column 8'],
    ['{"a":1,b:2}', 'key must be a string at line 1 column 8'],
    ['{"a":1 "b":2}', 'expected `,` or `}` at line 1 column 8'],
    ['{\n  "uid": "a",\n  oops\n}', 'key must be a string at line 3 column 3'],
    ['{"uid": "a"} x', 'trailing characters at line 1 column 14'],
    ['{"uid": tru}', 'expected ident at line 1 column 12'],
    ['nul', 'EOF while parsing a value at line 1 column 3'],
    [
      '{"uid": "a\nb"}',
      'control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0',
    ],
    ['{"uid": "\\x"}', 'invalid escape at line 1 column 11'],
    ['"\\u12', 'EOF while parsing a string at line 1 column 5'],
    ['"\\u12x4"', 'invalid escape at line 1 column 7'],
    ['"abc', 'EOF while parsing a string at line 1 column 4'],
    ['[1,]', 'trailing comma at line 1 column 4'],
    ['[', 'EOF while parsing a list at line 1 column 1'],
    ['[1 2]', 'expected `,` or `]` at line 1 column 4'],
    ['[,', 'expected value at line 1 column 2'],
    ['', 'EOF while parsing a value at line 1 column 0'],
    ['x', 'expected value at line 1 column 1'],
    ['+', 'expected value at line 1 column 1'],
    ['-', 'EOF while parsing a value at line 1 column 1'],
    ['-x', 'invalid number at line 1 column 2'],
    ['00', 'invalid number at line 1 column 2'],
    ['0x80', 'trailing characters at line 1 column 2'],
    ['0.', 'EOF while parsing a value at line 1 column 2'],
    ['1.a', 'invalid number at line 1 column 3'],
    ['1e', 'EOF while parsing a value at line 1 column 2'],
    ['1e+', 'EOF while parsing a value at line 1 column 3'],
    ['"\\ud800"', 'unexpected end of hex escape at line 1 column 8'],
    ['"\\ud800\\n"', 'unexpected end of hex escape at line 1 column 9'],
    ['"\\ud800\\u0041"', 'lone leading surrogate in hex escape at line 1 column 13'],
    ['"\\udc00"', 'lone leading surrogate in hex escape at line 1 column 7'],
    ['['.repeat(200), 'recursion limit exceeded at line 1 column 128'],
    [`{"a":${'['.repeat(127)}`, 'recursion limit exceeded at line 1 column 132'],
    ['"é" x', 'trailing characters at line 1 column 6'],
  ])('%j: %s', (text, message) => {
    expect(jsonError(Buffer.from(text))).toBe(message);
  });

  test('bytes that are no text inside a string are refused', () => {
    const text = Buffer.from([0x22, 0xff, 0x22]);
    expect(jsonError(text)).toBe('invalid unicode code point at line 1 column 3');
  });

  test('exactly the texts that JSON.parse refuses have an error', () => {
    const random = randomSource(20_240_611);
    const pieces = [
      ...'{}[],:"\\u0041ntx-0.1eE+ \n',
      'null',
      'true',
      '"a"',
      '1.5',
      '{"a":1}',
      '[]',
    ];
    for (let round = 0; round < 20_000; round++) {
      const count = 1 + random.below(8);
      const text = Array.from({ length: count }, () => random.pick(pieces)).join('');
      expect([text, jsonError(Buffer.from(text)) === undefined]).toEqual([text, parses(text)]);
    }
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
