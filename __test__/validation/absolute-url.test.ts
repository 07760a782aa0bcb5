import { expect, test } from 'vitest';
import { urlProblem } from '../../src/validation/absolute-url.js';

test.each([
  ['x', 'relative URL without a base'],
  ['', 'relative URL without a base'],
  ['http://', 'empty host'],
  ['http://:80', 'empty host'],
  ['http://a:99999', 'invalid port number'],
  ['http://user@a:x/path', 'invalid port number'],
  ['http://[::1]:x', 'invalid port number'],
  ['http://[::1', 'invalid IPv6 address'],
  ['http://1.2.3.999', 'invalid IPv4 address'],
  ['http://a b:80/', 'invalid international domain name'],
])('the address `%s` is refused: %s', (url, reason) => {
  expect(urlProblem(url)).toBe(reason);
});

test.each(['http://a.test', 'mailto:me', 'ftp://u:p@[::1]:21/x'])('%s is an address', (url) => {
  expect(urlProblem(url)).toBeUndefined();
});
