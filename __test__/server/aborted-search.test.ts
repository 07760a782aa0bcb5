import { expect, test } from 'vitest';
import { films, newFolder, type Server, start } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

const MINUTE_MS = 60_000;

/** So many queries that each answer takes a while, told by another number of words each. */
function queries(count: number): object[] {
  const words = ['the', 'dark', 'of', 'night', 'and', 'a', 'love', 'story', 'in', 'war'];
  return Array.from({ length: count }, (_, at) => ({
    indexUid: 'films',
    q: words.map((_, place) => words[(at + place * 3) % words.length]).join(' '),
    showRankingScoreDetails: true,
    attributesToHighlight: ['*'],
  }));
}

async function withFilms(): Promise<Server> {
  const server = await start(await newFolder());
  await write(server.url, 'PATCH', '/indexes/films/settings', { searchCutoffMs: 600_000 });
  await write(server.url, 'POST', '/indexes/films/documents?primaryKey=id', await films());
  await ask(`${server.url}/experimental-features`, 'PATCH', { metrics: true });
  return server;
}

const send = (url: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/multi-search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

/** How many searches run or wait at the server. */
async function underWay({ url }: Server): Promise<number> {
  const headers = { authorization: `Bearer ${MASTER_KEY}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const numberOf = (name: string) => Number(new RegExp(`${name} (\\d+)`).exec(text)?.[1]);
  return numberOf('searches_running') + numberOf('searches_waiting_to_be_processed');
}

/** Waits until a server has this many searches. */
async function until(server: Server, isReached: (count: number) => boolean): Promise<void> {
  while (!isReached(await underWay(server)));
}

test('a search whose client goes away stops', { timeout: MINUTE_MS }, async () => {
  const server = await withFilms();
  const gone = new AbortController();
  // More work than this test has time for: that none is left is proof that it was given up.
  const long = send(server.url, { federation: {}, queries: queries(100_000) }, gone.signal);
  const failed = expect(long).rejects.toThrow();
  await until(server, (count) => count > 0);
  gone.abort();
  await failed;
  await until(server, (count) => count === 0);
  const next = await send(server.url, { federation: {}, queries: queries(20) });
  expect(next.status).toBe(200);
});
