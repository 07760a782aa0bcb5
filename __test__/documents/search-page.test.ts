import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { searchFields } from '../../src/search/search-request.js';
import { servedDocument } from '../http/openapi-document.js';

const text = readFileSync(inRoot('docs/search.md'), 'utf8');
const table = text.split('## Parameters')[1]?.split('\n## ')[0] ?? '';
const rows = [...table.matchAll(/^\| (`[^|]+`) \| (.*?) ?\| /gm)].map(([, names = '', shown]) => ({
  names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => String(name)),
  shown: /^`(.*)`$/.exec(shown ?? '')?.[1],
}));

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
  const films = readFileSync(inRoot('__test__/fixtures/movies-500.ndjson'));
  const headers = { 'content-type': 'application/x-ndjson' };
  const documents = `${server.url}/indexes/movies/documents?primaryKey=id`;
  await fetch(documents, { method: 'POST', headers, body: films });
  await vi.waitFor(
    async () => {
      const task = (await (await fetch(`${server.url}/tasks/0`)).json()) as { status: string };
      expect(task.status).toBe('succeeded');
    },
    { timeout: 30_000 },
  );
}, 60_000);
afterAll(() => server?.remove());

/** The answer to a search, without what differs each time. */
async function answer(parameters: object): Promise<object> {
  // All that has an effect only beside others.
  const rest = { attributesToCrop: ['overview'], attributesToHighlight: ['*'] };
  const response = await fetch(`${server.url}/indexes/movies/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...rest, ...parameters }),
  });
  expect(response.status).toBe(200);
  const { processingTimeMs, requestUid, ...stable } = (await response.json()) as {
    processingTimeMs: number;
    requestUid: string;
  };
  return stable;
}

test('the page about searching has a row for every parameter, and no others', () => {
  expect(rows.flatMap(({ names }) => names).sort()).toEqual(Object.keys(searchFields).sort());
});

test('the defaults in it are those of a search that says nothing', async () => {
  const defaults = rows.filter(({ shown }) => shown !== undefined && shown !== 'false');
  expect(defaults.length).toBeGreaterThan(7);
  for (const q of [undefined, 'the love night']) {
    const query = q === undefined ? {} : { q };
    const plain = await answer(query);
    expect(plain).toHaveProperty('hits.19');
    for (const { names, shown } of defaults) {
      const [name = ''] = names;
      if (name === 'q' && q !== undefined) continue;
      expect([name, await answer({ ...query, [name]: JSON.parse(shown ?? '') })]).toEqual([
        name,
        plain,
      ]);
    }
  }
});

test('it names what a federation takes', async () => {
  const { components } = (await servedDocument()) as {
    components: { schemas: { Federation: { properties: object } } };
  };
  const names = Object.keys(components.schemas.Federation.properties);
  expect(names).toContain('mergeFacets');
  for (const name of names) expect(text).toContain(`\`${name}\``);
});
