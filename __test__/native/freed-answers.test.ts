import { expect, test } from 'vitest';
import { freeAnswer, joinAnswer } from '../../src/native/answer.js';
import { answerTo } from './engine-answer.js';

test('a large answer that was freed is empty, also when it is freed again', async () => {
  const answer = await answerTo('a'.repeat(100_000));
  expect(answer.length).toBeGreaterThan(100_000);
  freeAnswer(answer);
  expect(answer).toHaveLength(0);
  freeAnswer(answer);
  expect(answer).toHaveLength(0);
});

test('small answers and buffers of others stay as they are when they are freed', async () => {
  const small = await answerTo('a');
  const { query } = JSON.parse(small.toString());
  const others = [small, Buffer.from('text'), Buffer.alloc(100_000, 'a')];
  const before = others.map((buffer) => buffer.toString());
  for (const buffer of others) freeAnswer(buffer);
  expect(others.map((buffer) => buffer.toString())).toEqual(before);
  expect(query).toBe('a');
});

test('a part of a large answer does not free the whole', async () => {
  const answer = await answerTo('a'.repeat(100_000));
  const before = answer.toString();
  freeAnswer(answer.subarray(10, 20));
  expect(answer.toString()).toBe(before);
});

test('an answer joined of parts is freed without them', async () => {
  const part = await answerTo('a'.repeat(50_000));
  const before = part.toString();
  const joined = joinAnswer([Buffer.from('['), part, Buffer.from(','), part, Buffer.from(']')]);
  expect(joined.toString()).toBe(`[${before},${before}]`);
  freeAnswer(joined);
  expect(joined).toHaveLength(0);
  expect(part.toString()).toBe(before);
});
