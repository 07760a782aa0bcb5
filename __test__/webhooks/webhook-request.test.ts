import { describe, expect, test } from 'vitest';
import { changedWebhook, type WebhookChange } from '../../src/webhooks/webhook-request.js';

const UUID = '4bc0887a-0e41-4f3b-935d-0c451dcee9c8';
const known = { uuid: UUID, url: 'http://a.test', headers: { a: '1' } };
const made = (change: WebhookChange) => changedWebhook(UUID, undefined, change);
const MISSING = `The URL for the webhook \`${UUID}\` is missing.`;

describe('a webhook with several faults', () => {
  test.each([
    ['no address', { headers: { 'a b': 'x' } }, MISSING],
    ['an empty address', { url: '', headers: { 'a b': 'x' } }, MISSING],
    [
      'the header that comes first by name',
      { url: 'none', headers: { 'z z': 'x', b: 'line\nbreak' } },
      'Invalid header value `b`: failed to parse header value',
    ],
    [
      'its address',
      { url: 'none', headers: { b: 'x' } },
      'Invalid URL `none`: relative URL without a base',
    ],
  ])('is refused for %s', (_fault, change, message) => {
    expect(() => made(change)).toThrow(message);
  });
});

describe('a header of null', () => {
  test('is empty in a new webhook, which has none to take away', () => {
    expect(made({ url: 'http://a.test', headers: { a: null } }).headers).toEqual({ a: '' });
  });

  test('is taken away from one that is changed, whatever its name', () => {
    const headers = { a: null, 'never a name': null };
    expect(changedWebhook(UUID, known, { headers }).headers).toEqual({});
  });
});
