import { expect, test } from 'vitest';
import { compareVersions, parseVersion, type Version } from '../../src/upgrade/version.js';

/** Every version comes after all before it: the order that semantic versions prescribe. */
const ASCENDING = [
  '0.0.9',
  '0.1.0-0',
  '0.1.0-alpha',
  '0.1.0-alpha.1',
  '0.1.0-alpha.beta',
  '0.1.0-beta',
  '0.1.0-beta.2',
  '0.1.0-beta.11',
  '0.1.0-rc.1',
  '0.1.0',
  '0.1.1',
  '0.2.0',
  '0.10.0',
  '1.0.0-rc.1',
  '1.0.0',
  '10.0.0',
];

const version = (text: string): Version => {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`${text} is no version`);
  return parsed;
};

test('versions come in the order of semantic versions', () => {
  for (const [a, earlier] of ASCENDING.entries()) {
    for (const [b, later] of ASCENDING.entries()) {
      const found = Math.sign(compareVersions(version(earlier), version(later)));
      expect(found, `${earlier} and ${later}`).toBe(Math.sign(a - b));
    }
  }
});

test.each([
  '',
  '1',
  '1.2',
  'v1.2.3',
  '1.2.3.4',
  '1.2.x',
  '1.2.3-',
  '1.2.3-a..b',
  '1.2.3 ',
  '-1.2.3',
])('%j is no version', (text) => {
  expect(parseVersion(text)).toBeUndefined();
});
