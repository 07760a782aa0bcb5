import { expect, test } from 'vitest';
import { AnswerRoom } from '../../src/http/answer-room.js';

test('answers are held as long as there is room for all of them', () => {
  const room = new AnswerRoom(10);
  const answers = [Buffer.alloc(4), Buffer.alloc(6), Buffer.alloc(0)];
  for (const answer of answers) expect(room.hold(answer)).toBe(answer);
  const refused = expect.objectContaining({
    code: 'bad_request',
    message: expect.stringContaining('more than 10 bytes together'),
  });
  expect(() => room.hold(Buffer.alloc(1))).toThrow(refused);
  expect(() => room.hold(Buffer.alloc(1))).toThrow(refused);
});
