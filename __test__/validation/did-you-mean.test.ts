import { describe, expect, test } from 'vitest';
import { closestWord, editDistance, expectedOneOf } from '../../src/validation/did-you-mean.js';
import { randomSource } from './random-source.js';

describe('the distance of two words', () => {
  test.each([
    ['', 'abc', 3],
    ['limit', 'limit', 0],
    ['lmit', 'limit', 1],
    ['limti', 'limit', 1],
    ['ca', 'abc', 2],
    ['été', 'ete', 2],
  ])('%s and %s: %d', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  test('is that of the shortest way over all words reached by single steps', () => {
    const random = randomSource(7);
    const word = (): string =>
      Array.from({ length: random.below(4) }, () => random.pick(['a', 'b'])).join('');
    for (let round = 0; round < 60; round++) {
      const [from, to] = [word(), word()];
      expect([from, to, editDistance(from, to)]).toEqual([from, to, stepsBetween(from, to)]);
    }
  });
});

/** Breadth-first search over edits; two swapped letters count as one step. */
function stepsBetween(from: string, to: string): number {
  const seen = new Set([from]);
  let edge = [from];
  for (let steps = 0; ; steps++) {
    if (edge.includes(to)) return steps;
    edge = edge
      .flatMap(neighbours)
      .filter((one) => one.length <= 6 && !seen.has(one) && seen.add(one));
  }
}

function neighbours(word: string): string[] {
  const places = Array.from({ length: word.length + 1 }, (_, at) => at);
  return places.flatMap((at) => {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    return [
      `${head}a${tail}`,
      `${head}b${tail}`,
      head + tail.slice(1),
      `${head}a${tail.slice(1)}`,
      `${head}b${tail.slice(1)}`,
      head + (tail[1] ?? '') + (tail[0] ?? '') + tail.slice(2),
    ];
  });
}

describe('a close spelling', () => {
  test.each([
    ['abc', ['abd'], undefined],
    ['limt', ['limit'], 'limit'],
    ['lim', ['limit'], undefined],
    ['expireAt', ['expiresAt'], 'expiresAt'],
    ['hits_per_page', ['hitsPerPage'], undefined],
    ['attributesToretrieve', ['q', 'attributesToRetrieve'], 'attributesToRetrieve'],
    ['abcd', ['abce', 'abcf'], 'abce'],
  ])('%s among %j: %s', (received, accepted, closest) => {
    expect(closestWord(received, accepted)).toBe(closest);
  });

  test('is not looked for among words that are far shorter than what was received', () => {
    // Comparing would take a table of as many rows as there are letters: more than memory holds.
    expect(closestWord('x'.repeat(5e7), ['limit', 'offset'])).toBeUndefined();
    expect(
      closestWord('\u{1f98a}\u{1f98a}\u{1f98a}\u{1f98b}', ['\u{1f98a}\u{1f98a}\u{1f98a}']),
    ).toBe('\u{1f98a}\u{1f98a}\u{1f98a}');
  });

  test('stands before the list of accepted words', () => {
    expect(expectedOneOf('limt', ['offset', 'limit'])).toBe(
      'did you mean `limit`? expected one of `offset`, `limit`',
    );
  });
});
