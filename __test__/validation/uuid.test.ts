import { describe, expect, test } from 'vitest';
import { readUuid } from '../../src/validation/uuid.js';

const UUID = '5e1f0c2a-7b3d-4e6f-8a9b-0c1d2e3f4001';

describe('a UUID', () => {
  test.each([
    UUID,
    UUID.toUpperCase(),
    UUID.replaceAll('-', ''),
    `{${UUID}}`,
    `urn:uuid:${UUID}`,
    `URN:UUID:${UUID}`,
  ])('is read from %s', (text) => {
    expect(readUuid(text)).toEqual({ uuid: UUID });
  });

  test('may have any version', () => {
    const nil = '00000000-0000-0000-0000-000000000000';
    expect(readUuid(nil)).toEqual({ uuid: nil });
  });

  test.each([
    ['', 'invalid length: found 0'],
    ['5e1f0c2a', 'invalid length: found 8'],
    ['a'.repeat(46), 'invalid length: found 46'],
    ['mine', 'invalid character: found `m` at 0'],
    ['doggo', 'invalid character: found `o` at 1'],
    ['{aé}', 'invalid character: found `é` at 2'],
    [`urn:uuid:${UUID.replace('7', 'x')}`, 'invalid character: found `x` at 18'],
    ['a-b', 'invalid group count: expected 5, found 2'],
    [`{${UUID.replaceAll('-', '')}}`, 'invalid group count: expected 5, found 1'],
    [UUID.replace('7b3d', '7b3'), 'invalid group length in group 1: expected 4, found 3'],
    [`${UUID}0`, 'invalid group length in group 4: expected 12, found 13'],
  ])('is not %j', (text, problem) => {
    expect(readUuid(text)).toEqual({ problem });
  });
});
