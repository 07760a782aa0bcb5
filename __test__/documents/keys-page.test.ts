import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRoot, scratch } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { ACTIONS, isGlobalAction, OTHER_CHAT_ACTION } from '../../src/auth/actions.js';
import { blocksOf } from './page-blocks.js';

const MASTER_KEY = 'sixteen-bytes-and-more';
const PAGE = 'docs/keys.md';
const text = readFileSync(inRoot(PAGE), 'utf8');

/** The actions that each row of the table names, in its order. */
const rows = [...text.matchAll(/^\| (`[^|]+`) \| /gm)]
  .map(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => String(name)))
  .filter(([first]) => ACTIONS.some((action) => action === first));

test('the page about keys names every action, those of the whole server below the others', () => {
  const named = rows.flat();
  expect([...named, '*'].sort()).toEqual([...ACTIONS].sort());
  const last = named.indexOf('chatCompletions');
  const below = named.slice(last + 1);
  expect([...below, 'tasks.compact'].sort()).toEqual(
    ACTIONS.filter((action) => isGlobalAction(action)).sort(),
  );
  expect(text).toContain(`\`${OTHER_CHAT_ACTION}\``);
});

describe('the tenant token that the page about keys makes', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    server = await startServer({ masterKey: MASTER_KEY });
  });
  afterAll(() => server?.remove());

  const ask = async (
    path: string,
    key: string,
    method = 'GET',
    body?: unknown,
    // biome-ignore lint/suspicious/noExplicitAny: answers of many routes
  ): Promise<any> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(server.url + path, { method, headers, ...sent })).json();
  };

  test('finds only what its filter lets pass, and nothing once it has ended', async () => {
    const file = join(scratch, 'keys-page', 'tenant-token.mjs');
    mkdirSync(join(scratch, 'keys-page'), { recursive: true });
    const [code] = blocksOf(PAGE).filter(({ language }) => language === 'js');
    writeFileSync(file, String(code?.code));
    const { tenantToken } = await import(pathToFileURL(file).href);

    await ask('/indexes/movies/settings', MASTER_KEY, 'PATCH', {
      filterableAttributes: ['tenant'],
    });
    const films = [
      { id: 1, tenant: 7 },
      { id: 2, tenant: 8 },
    ];
    const { taskUid } = await ask('/indexes/movies/documents', MASTER_KEY, 'POST', films);
    await expect
      .poll(async () => (await ask(`/tasks/${taskUid}`, MASTER_KEY)).status, { timeout: 20_000 })
      .toBe('succeeded');
    const { results } = await ask('/keys', MASTER_KEY);
    const { key, uid } = results.find((one: { actions: string[] }) => one.actions[0] === 'search');
    const rules = JSON.parse(/searchRules` \| `(\{.*?\})`/.exec(text)?.[1] ?? '');

    const found = await ask('/indexes/movies/search', tenantToken(key, uid, rules));
    expect(found.hits).toEqual([{ id: 1, tenant: 7 }]);
    const late = await ask('/indexes/movies/search', tenantToken(key, uid, rules, 1));
    expect(late.code).toBe('invalid_api_key');
  });
});
