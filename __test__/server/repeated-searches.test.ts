import { generateTenantToken } from 'meilisearch/token';
import { expect, test } from 'vitest';
import { films, newFolder, type Server, start } from './servers.js';
import { ask, write } from './talk.js';

interface Answer {
  readonly hits: { readonly id: number }[];
  readonly estimatedTotalHits: number;
  readonly requestUid: string;
  readonly performanceDetails?: Record<string, string>;
}

const search = (server: Server, request: object): Promise<Answer> =>
  ask<Answer>(`${server.url}/indexes/films/search`, 'POST', request);

const total = async (server: Server, q: string): Promise<number> =>
  (await search(server, { q })).estimatedTotalHits;

async function withFilms(...args: string[]): Promise<Server> {
  const server = await start(await newFolder(), ...args);
  await write(server.url, 'PATCH', '/indexes/films/settings', { filterableAttributes: ['id'] });
  await write(server.url, 'POST', '/indexes/films/documents?primaryKey=id', await films());
  return server;
}

test.each([['1'], ['2']])(
  'with %s threads for HTTP a search that is sent again sees what was written since',
  async (workers) => {
    const server = await withFilms('--http-workers', workers);
    const documents = '/indexes/films/documents';
    expect([await total(server, 'xylograph'), await total(server, 'xylograph')]).toEqual([0, 0]);
    await write(server.url, 'POST', documents, [{ id: 900_001, title: 'Xylograph' }]);
    expect([await total(server, 'xylograph'), await total(server, 'xylograph')]).toEqual([1, 1]);
    await write(server.url, 'PATCH', '/indexes/films/settings', {
      synonyms: { woodcut: ['xylograph'] },
    });
    expect([await total(server, 'woodcut'), await total(server, 'xylograph')]).toEqual([1, 1]);
    await write(server.url, 'PATCH', '/indexes/films/settings', { synonyms: {} });
    expect([await total(server, 'woodcut'), await total(server, 'xylograph')]).toEqual([0, 1]);
    await write(server.url, 'DELETE', `${documents}/900001`);
    expect(await total(server, 'xylograph')).toBe(0);
  },
);

test('the same search gives the same hits under another number', async () => {
  const server = await withFilms();
  const request = { q: 'the dark', attributesToHighlight: ['*'], facets: ['id'], page: 1 };
  const answers = await Promise.all(Array.from({ length: 6 }, () => search(server, request)));
  answers.push(await search(server, request));
  const { requestUid: _, ...first } = answers[0] as Answer;
  for (const answer of answers) {
    expect(answer).toEqual({
      ...first,
      requestUid: answer.requestUid,
      processingTimeMs: expect.any(Number),
    });
  }
  const numbers = new Set(answers.map((answer) => answer.requestUid));
  expect(numbers.size).toBe(answers.length);
});

test('a search that was answered before still says where its time went when asked to', async () => {
  const server = await withFilms();
  await search(server, { q: 'night' });
  for (const _ of [1, 2]) {
    const { performanceDetails } = await search(server, {
      q: 'night',
      showPerformanceDetails: true,
    });
    expect(Object.keys(performanceDetails ?? {})).toContain('search > format');
  }
});

test('what one token was answered is not shown to another', async () => {
  const server = await withFilms();
  const { results } = await ask<{ results: { name: string; uid: string; key: string }[] }>(
    `${server.url}/keys`,
  );
  const key = results.find(({ name }) => name === 'Default Search API Key');
  if (key === undefined) throw new Error('there is no key for searches');
  const ids = (await films()).map(({ id }) => Number(id));
  const found = async (shown: readonly number[]): Promise<number[]> => {
    const token = await generateTenantToken({
      apiKey: key.key,
      apiKeyUid: key.uid,
      searchRules: { films: { filter: `id IN [${shown}]` } },
    });
    const response = await fetch(`${server.url}/indexes/films/search`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ q: '', limit: 1000 }),
    });
    const { hits } = (await response.json()) as Answer;
    return hits.map(({ id }) => id).sort((a, b) => a - b);
  };
  const [some, others] = [ids.slice(0, 20), ids.slice(20, 30)];
  for (const shown of [some, others, some, others]) {
    expect(await found(shown)).toEqual([...shown].sort((a, b) => a - b));
  }
  expect((await search(server, { q: '', limit: 1000 })).hits).toHaveLength(ids.length);
});
