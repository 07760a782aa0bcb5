import { generateTenantToken } from 'meilisearch/token';
import { expect, test } from 'vitest';
import type { Action } from '../../src/auth/actions.js';
import {
  answered,
  ask,
  type ChatServer,
  filmServer,
  REPORTS,
  reports,
  tool,
} from './chat-server.js';
import { calls, startProvider, streaming, words } from './provider-server.js';

const EVERYTHING = { q: '', filter: '' };

async function keyOf(server: ChatServer, indexes: string[], actions: (Action | string)[]) {
  const made = await server.call('POST', '/keys', { indexes, actions, expiresAt: null });
  expect(made.status).toBe(201);
  return made.body as { key: string; uid: string };
}

test.each(['chatCompletions', 'chatsCompletions'])(
  'a key with %s for one index searches that index alone, also when the model asks for others',
  async (action) => {
    const provider = await startProvider(
      streaming(
        calls(
          { index_uid: 'books', ...EVERYTHING },
          { index_uid: 'none', ...EVERYTHING },
          {
            index_uid: 'films',
            ...EVERYTHING,
          },
        ),
      ),
      streaming(words('Done.')),
    );
    const server = await filmServer(provider);
    const { key } = await keyOf(server, ['films'], [action, 'search']);
    const { events } = await ask(server, { tools: REPORTS.map(tool) }, key);
    const [asked, then] = provider.asked;
    expect(JSON.stringify(asked?.body.tools)).not.toContain('books');
    expect(asked?.body.tools?.[0]?.function.parameters.properties.index_uid?.enum).toEqual([
      'films',
    ]);
    const [books, none, films] = then?.body.messages.slice(-3) ?? [];
    expect(books?.content).toMatch(/^the search tool call failed with .* index `books`/);
    expect(none?.content).toMatch(/^the search tool call failed with .* index `none`/);
    expect(films?.content).toContain('Alien (Horror)');
    expect(JSON.stringify(events)).not.toContain('Roadside');
    const errors = events.flatMap(({ error }) => (error === undefined ? [] : [error.code]));
    expect(errors).toEqual(['invalid_api_key', 'invalid_api_key']);
    expect(answered(events)).toBe('Done.');
  },
);

test('a key that may chat but not search gets no documents and no values', async () => {
  const provider = await startProvider(
    streaming(calls({ index_uid: 'films', ...EVERYTHING })),
    streaming(words('Sorry.')),
  );
  const server = await filmServer(provider);
  const { key } = await keyOf(server, ['*'], ['chatCompletions']);
  const { events } = await ask(server, { tools: [tool('_svcSearchSources')] }, key);
  expect(JSON.stringify(provider.asked[0]?.body.tools)).not.toContain('Horror');
  expect(provider.asked[1]?.body.messages.at(-1)?.content).toBe(
    'the search tool call failed with The provided API key is invalid.',
  );
  expect(reports(events)).toEqual([]);
});

test('a key without the right to chat is refused', async () => {
  const server = await filmServer(await startProvider());
  const { key } = await keyOf(server, ['*'], ['search', 'chats.*', 'chatsSettings.*']);
  expect((await ask(server, {}, key)).refusal.code).toBe('invalid_api_key');
});

test('the rule of a tenant token holds beside the filter of the model, and for the facets', async () => {
  const provider = await startProvider(
    streaming(
      calls(
        { index_uid: 'films', q: '', filter: 'genre = Drama' },
        { index_uid: 'films', q: '', filter: 'owner = ada OR owner = bob' },
        { index_uid: 'books', ...EVERYTHING },
      ),
    ),
    streaming(words('Done.')),
  );
  const server = await filmServer(provider);
  const { key, uid } = await keyOf(server, ['*'], ['chatCompletions', 'search']);
  const token = await generateTenantToken({
    apiKey: key,
    apiKeyUid: uid,
    searchRules: { films: { filter: 'owner = bob' } },
    force: true,
  });
  const { events } = await ask(server, { tools: [tool('_svcSearchSources')] }, token);
  const [asked, then] = provider.asked;
  const { index_uid, filter } = asked?.body.tools?.[0]?.function.parameters.properties ?? {};
  expect(index_uid?.enum).toEqual(['films']);
  expect(filter?.description).toContain('- genre: "Drama"\n- owner: "bob"\n');
  const answers = then?.body.messages.slice(-3).map(({ content }) => content) ?? [];
  expect(answers.slice(0, 2)).toEqual(['Stalker (Drama)', 'Stalker (Drama)']);
  expect(answers[2]).toMatch(/^the search tool call failed with /);
  expect(JSON.stringify(events)).not.toContain('Solaris');
});

test('a key that is deleted while a chat goes on finds nothing more', async () => {
  let deleteKey = async () => undefined as unknown;
  const search = streaming(calls({ index_uid: 'films', ...EVERYTHING }));
  const provider = await startProvider(
    async (response) => {
      await deleteKey();
      await search(response);
    },
    streaming(words('Sorry.')),
  );
  const server = await filmServer(provider);
  const { key, uid } = await keyOf(server, ['*'], ['chatCompletions', 'search']);
  deleteKey = () => server.call('DELETE', `/keys/${uid}`);
  await ask(server, {}, key);
  expect(provider.asked[1]?.body.messages.at(-1)?.content).toBe(
    'the search tool call failed with The provided API key is invalid.',
  );
});
