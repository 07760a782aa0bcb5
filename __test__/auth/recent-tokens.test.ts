import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentTokens } from '../../src/auth/recent-tokens.js';
import { SEED } from '../seed.js';

const CAPACITY = 4;

test('a token is known as what was proven of it, or not at all', () => {
  const uses = fc.array(fc.nat({ max: 12 }), { maxLength: 200 });
  const property = fc.property(uses, (tokens) => {
    const recent = new RecentTokens<number>(CAPACITY);
    for (const token of tokens) {
      const known = recent.get(String(token));
      expect([undefined, token]).toContain(known);
      if (known === undefined) recent.put(String(token), token);
    }
  });
  fc.assert(property, { seed: SEED });
});

test('the tokens used last are known, and not more than twice as many', () => {
  const recent = new RecentTokens<number>(CAPACITY);
  const isKnown = (token: number) => recent.get(String(token)) !== undefined;
  for (let token = 0; token < 100; token += 1) recent.put(String(token), token);
  const known = Array.from({ length: 100 }, (_, token) => token).filter(isKnown);
  expect(known.length).toBeLessThanOrEqual(2 * CAPACITY);
  expect(known).toEqual(expect.arrayContaining([96, 97, 98, 99]));
});

test('a token that is used again and again is never forgotten', () => {
  const recent = new RecentTokens<string>(CAPACITY);
  recent.put('often', 'proof');
  for (let token = 0; token < 100; token += 1) {
    recent.put(String(token), 'other');
    expect(recent.get('often')).toBe('proof');
  }
});
