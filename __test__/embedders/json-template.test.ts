import { describe, expect, test } from 'vitest';
import { RestFormat } from '../../src/embedders/rest-format.js';

const NOTE =
  '\n  - Note: this template is using a document template, and so expects to contain the placeholder "{{text}}" rather than "{{fragment}}"';
const ONE = { vector: '{{embedding}}' };
const MANY = { data: [{ vector: '{{embedding}}' }, '{{..}}'] };

test('the text takes the place of its mark', () => {
  const format = new RestFormat({ a: [1, { b: '{{text}}' }], model: 'm' }, ONE, false);
  expect(format.maxTexts).toBe(1);
  expect(format.body(['x'])).toEqual({ a: [1, { b: 'x' }], model: 'm' });
  expect(format.vectors({ vector: [1, 2] }, 1)).toEqual([Float32Array.of(1, 2)]);
});

test('what stands before the mark of repetition comes once for each text', () => {
  const format = new RestFormat({ in: [{ t: '{{text}}' }, '{{..}}', 'end'] }, MANY, false);
  expect(format.maxTexts).toBe(10);
  expect(format.body(['x', 'y'])).toEqual({ in: [{ t: 'x' }, { t: 'y' }, 'end'] });
  expect(format.vectors({ data: [{ vector: [1] }, { vector: [2] }] }, 2)).toEqual([
    Float32Array.of(1),
    Float32Array.of(2),
  ]);
});

describe('templates that are refused', () => {
  test.each([
    [{ input: 'no' }, 'in `request`: "{{text}}" not found'],
    [
      { input: ['{{..}}', '{{text}}'] },
      'in `request.input`: "{{..}}" expected at position #1, but found at position #0',
    ],
    [
      { input: '{{text}}', repeat: '{{..}}' },
      'in `request.repeat`: "{{..}}" appears outside of an array',
    ],
    [
      { input: '{{text}}', data: '{{text}}' },
      'in `request.data`: Found "{{text}}", but it was already present in `request.input`',
    ],
    [
      { input: ['x', '{{..}}'], data: '{{text}}' },
      'in `request.input[0]`: Expected "{{text}}" inside of the repeated value',
    ],
    [
      { input: [['{{text}}', '{{..}}'], '{{..}}'] },
      'in `request.input[0]`: "{{..}}" appears nested inside of a value that is itself repeated',
    ],
  ])('%j', (request, message) => {
    expect(() => new RestFormat(request, ONE, false)).toThrow(`user error: ${message}${NOTE}`);
  });

  test('one text and many vectors, or the other way', () => {
    expect(() => new RestFormat({ input: ['{{text}}', '{{..}}'] }, ONE, false)).toThrow(
      'user error: in `response`: `response` has a single embedding, but `request` has multiple texts to embed',
    );
    expect(() => new RestFormat({ input: '{{text}}' }, MANY, false)).toThrow(
      'user error: in `response`: `response` has multiple embeddings, but `request` has only one text to embed',
    );
  });

  test('a text where fragments are used', () => {
    expect(() => new RestFormat('{{text}}', ONE, true)).toThrow(
      'in `request`: "{{fragment}}" not found',
    );
  });
});
