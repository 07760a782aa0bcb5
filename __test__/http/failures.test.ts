import { expect, test } from 'vitest';
import { ApiError } from '../../src/errors/api-error.js';
import { createServer } from '../../src/http/create-server.js';
import type { Services } from '../../src/http/services.js';
import { fakeServices } from './fake-services.js';

/** A server whose searches all fail with the given error. */
async function failingServer(error: Error) {
  const { services } = fakeServices();
  const failing: Services = {
    ...services,
    indexes: { ...services.indexes, reader: () => Promise.reject(error) },
  };
  return createServer(failing, { payloadSizeLimit: 1000 });
}

const search = { method: 'POST', url: '/indexes/a/search', payload: {} } as const;

test('an unexpected failure tells the client nothing of its cause', async () => {
  const app = await failingServer(new Error('secret path /var/x'));
  const response = await app.inject(search);
  expect(response.statusCode).toBe(500);
  expect(response.json()).toEqual({
    message: 'An internal error has occurred.',
    code: 'internal',
    type: 'internal',
    link: 'https://serval.dev/docs/errors#internal',
  });
});

test('an overloaded server says when to come back', async () => {
  const app = await failingServer(new ApiError('too_many_search_requests', 'Too many.'));
  const response = await app.inject(search);
  expect(response.statusCode).toBe(503);
  expect(response.headers['retry-after']).toBe('10');
});

test('an error of the engine is known by its code', async () => {
  const error = Object.assign(new Error('bad filter'), { code: 'invalid_search_filter' });
  const app = await failingServer(error);
  const response = await app.inject(search);
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({ message: 'bad filter', code: 'invalid_search_filter' });
});
