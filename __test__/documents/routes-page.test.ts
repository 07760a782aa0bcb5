import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { SETTING_NAMES } from '../../src/settings/settings-schema.js';
import { Described, type Operation, servedDocument } from '../http/openapi-document.js';

const SETTING_PATH = /^(\w+) \/indexes\/\{indexUid\}\/settings\/([a-z-]+)$/;

/** What the page says of a route, as the document that the server gives describes it. */
function rowOf(name: string, { security, summary }: Operation): string {
  const ways = security.flatMap(({ Bearer }) => (Bearer === undefined ? [] : [Bearer]));
  const actions = ways.map((all) => all.map((one) => `\`${one}\``).join(' and ')).join(' or ');
  return `| \`${name}\` | ${actions === '' ? 'open' : actions} | ${summary} |`;
}

test('the page about routes has a row for each route, as the server describes it', async () => {
  const operations = new Described(await servedDocument()).operations();
  const text = readFileSync(inRoot('docs/routes.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `[A-Z]+ \/.*$/gm)].map(([row]) => row);
  const own = operations.filter(([name]) => !SETTING_PATH.test(name));

  expect([...rows].sort()).toEqual(own.map(([name, one]) => rowOf(name, one)).sort());
});

test('one row stands for the routes of single settings, of which each setting has three', async () => {
  const operations = new Described(await servedDocument()).operations();
  const paths = SETTING_NAMES.map((name) =>
    name.replace(/[A-Z]/g, (one) => `-${one}`).toLowerCase(),
  );
  const expected = paths.flatMap((path) => [`GET ${path}`, `SET ${path}`, `DELETE ${path}`]);
  const found = operations.flatMap(([name]) => {
    const [, method, path] = SETTING_PATH.exec(name) ?? [];
    if (path === undefined) return [];
    return [`${method === 'PUT' || method === 'PATCH' ? 'SET' : method} ${path}`];
  });

  expect(found.sort()).toEqual(expected.sort());
  expect(readFileSync(inRoot('docs/routes.md'), 'utf8')).toContain(
    '/indexes/{indexUid}/settings/{setting}`',
  );
});
