import { expect, test } from 'vitest';
import { deriveKey, sameText } from '../../src/auth/secret.js';

test.each([
  [
    '00000000-0000-0000-0000-000000000000',
    'aeb94973e0b6e912d94165430bbe87dee91a7c4f891ce19050c3910ec96977e9',
  ],
  [
    '4bc0887a-0e41-4f3b-935d-0c451dcee9c8',
    'd9e776b8412f1db6974c9a5556b961c3559440b6588216f4ea5d9ed49f7c8f3c',
  ],
])('the key of %s under MASTER_KEY is known to clients', (uid, key) => {
  expect(deriveKey('MASTER_KEY', uid)).toBe(key);
});

test('texts are the same only when they are equal', () => {
  expect(sameText('a key', 'a key')).toBe(true);
  expect(sameText('a key', 'a keys')).toBe(false);
  expect(sameText('', ' ')).toBe(false);
});
