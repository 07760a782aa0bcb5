import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { innermostReason, reasonOf, reasonWithCause } from '../../src/errors/error-reason.js';

const cause = new Error('connection lost', { cause: new Error('cable cut') });
const wrapped = new Error('fetch failed', { cause });

test('the reason of an error is its message, of anything else its text', () => {
  expect(reasonOf(wrapped)).toBe('fetch failed');
  expect(reasonOf('stopped')).toBe('stopped');
});

test('a cause is told behind the error that it made', () => {
  expect(reasonWithCause(wrapped)).toBe('fetch failed: connection lost');
  expect(reasonWithCause(new Error('alone'))).toBe('alone');
  expect(reasonWithCause(new Error('odd', { cause: 'no error' }))).toBe('odd');
});

test('of nested errors the innermost says what went wrong', () => {
  expect(innermostReason(wrapped)).toBe('cable cut');
  expect(innermostReason(new Error('alone'))).toBe('alone');
  expect(innermostReason(new Error('outer', { cause: new Error('') }))).toBe('outer');
  expect(innermostReason(7)).toBe('7');
});

test('a name none of whose addresses takes the connection is told by its code', async () => {
  const server = createServer().listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const error = await fetch(`http://localhost:${port}`).catch((reason: unknown) => reason);
  expect(innermostReason(error)).toContain('ECONNREFUSED');
});
