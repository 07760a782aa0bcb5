import fc from 'fast-check';
import { generateTenantToken } from 'meilisearch/token';
import { expect, test } from 'vitest';
import { filterText } from '../auth/hostile-filters.js';
import { SEED } from '../seed.js';
import { ask, filmServer } from './chat-server.js';
import { calls, startProvider, streaming, words } from './provider-server.js';

/** A model may ask for so many searches at once. */
const CALLS = 30;
const ROUNDS = 8;
/** The films of who does not hold the token. */
const FOREIGN = /Alien|Solaris|Horror/;

/** Every document passes, so that something is told. */
const EVERYTHING = { index_uid: 'films', q: '', filter: 'owner EXISTS' };

test('whatever filters a model makes up, it is told of no document that the token does not show', {
  timeout: 120_000,
}, async () => {
  const filters = fc.sample(filterText, {
    numRuns: CALLS * ROUNDS,
    seed: SEED,
  });
  const searches = filters.map((filter) => ({ index_uid: 'films', q: '', filter }));
  const rounds = Array.from({ length: ROUNDS }, (_, at) =>
    streaming(calls(...searches.slice(at * CALLS, (at + 1) * CALLS), EVERYTHING)),
  );
  const provider = await startProvider(...rounds, streaming(words('Done.')));
  const server = await filmServer(provider);
  const key = { indexes: ['*'], actions: ['chatCompletions', 'search'], expiresAt: null };
  const made = (await server.call('POST', '/keys', key)).body as { key: string; uid: string };
  const token = await generateTenantToken({
    apiKey: made.key,
    apiKeyUid: made.uid,
    searchRules: { films: { filter: 'owner = bob' } },
    force: true,
  });
  const { text } = await ask(server, {}, token);
  expect(text).not.toMatch(FOREIGN);
  const [first] = provider.asked;
  const last = provider.asked.at(-1);
  expect(JSON.stringify(first?.body.tools)).not.toMatch(FOREIGN);
  const told = last?.body.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(told).toHaveLength((CALLS + 1) * ROUNDS);
  expect(told.at(-1)?.content).toBe('Stalker (Drama)');
  const shown = told.filter(({ content }) => content === 'Stalker (Drama)');
  expect(shown.length).toBeGreaterThan(ROUNDS);
  for (const { content } of told) expect(content).not.toMatch(FOREIGN);
});
