import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortedByBytes } from '../../src/settings/sorted-by-bytes.js';

test('texts are in the order of their bytes, whatever characters they have', () => {
  const character = fc.constantFrom(
    'a',
    'b',
    'é',
    '\u{7ff}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '😀',
    '𐀀',
  );
  const text = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(''));
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const byBytes = texts.map((one) => Buffer.from(one)).sort(Buffer.compare);
      expect(sortedByBytes(texts)).toEqual(byBytes.map(String));
    }),
  );
});
