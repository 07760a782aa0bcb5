import { expect, test } from 'vitest';
import { boundedBody, startOfBody } from '../../src/outgoing/bounded-body.js';

/** An answer of several pieces, which may break off behind them. */
function answer(pieces: readonly string[], broken?: Error): Response {
  const left = [...pieces];
  return new Response(
    new ReadableStream({
      pull(stream) {
        const piece = left.shift();
        if (piece !== undefined) stream.enqueue(Buffer.from(piece));
        else if (broken === undefined) stream.close();
        else stream.error(broken);
      },
    }),
  );
}

test('a body is read whole when it is no larger than allowed, else not at all', async () => {
  expect(String(await boundedBody(answer(['ab', 'cd']), 4))).toBe('abcd');
  expect(await boundedBody(answer(['ab', 'cde']), 4)).toBeUndefined();
  expect(await boundedBody(new Response(null), 4)).toEqual(Buffer.alloc(0));
});

test('of the start of a body no more is read than asked for', async () => {
  expect(await startOfBody(answer(['ab', 'cde', 'never read'], new Error('broken')), 4)).toBe(
    'abcd',
  );
  expect(await startOfBody(answer(['ab']), 4)).toBe('ab');
});

test('of a body that breaks off, what came is kept where that is of use', async () => {
  const broken = () => answer(['ab'], new Error('broken'));
  await expect(startOfBody(broken(), 4)).rejects.toThrow('broken');
  expect(await startOfBody(broken(), 4, 'keep what came')).toBe('ab');
});
