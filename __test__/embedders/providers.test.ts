import { describe, expect, test } from 'vitest';
import type { EmbedderSettings } from '../../src/embedders/embedder.js';
import { LocalModels } from '../../src/embedders/local-models.js';
import { makeEmbedder } from '../../src/embedders/make-embedder.js';
import { answers, embeddingServer, vectorOf } from './embedding-server.js';

const models = new LocalModels({ fetch });
const defaults = { openAiApiKey: 'from-outside', ollamaUrl: undefined, fetch, models };

function embed(
  settings: EmbedderSettings,
  texts: readonly unknown[],
  signal = new AbortController().signal,
) {
  return makeEmbedder(settings, 'indexing', defaults).embed(texts, { signal, purpose: 'indexing' });
}

const plain = (url: string): EmbedderSettings => ({
  source: 'rest',
  url,
  request: { input: '{{text}}' },
  response: { vector: '{{embedding}}' },
});

describe('what is asked of each provider', () => {
  test('OpenAI gets the model, ten texts at once, and a key', async () => {
    const server = await embeddingServer();
    const texts = Array.from({ length: 12 }, (_, place) => `text ${place} ${'a'.repeat(place)}`);
    const url = `${server.url}/v1/embeddings`;
    const vectors = await embed({ source: 'openAi', url, dimensions: 5, apiKey: 'k' }, texts);
    expect(vectors.map((vector) => [...vector])).toEqual(texts.map(vectorOf));
    expect(server.asked.map(({ body }) => (body.input as string[]).length).sort()).toEqual([10, 2]);
    const { body, headers } = server.asked[0] as (typeof server.asked)[0];
    expect(body).toMatchObject({ model: 'text-embedding-3-small', dimensions: 5 });
    expect(headers.authorization).toBe('Bearer k');
  });

  test('OpenAI without dimensions expects those of its model, and takes the key from outside', async () => {
    const server = await embeddingServer();
    const url = `${server.url}/v1/embeddings`;
    await expect(embed({ url, model: 'text-embedding-3-large' }, ['a'])).rejects.toThrow(
      'runtime error: was expecting embeddings of dimension `3072`, got embeddings of dimensions `5`',
    );
    expect(server.asked[0]?.headers.authorization).toBe('Bearer from-outside');
    expect(server.asked[0]?.body).not.toHaveProperty('dimensions');
  });

  test('ollama gets one prompt or several inputs, by its address', async () => {
    const server = await embeddingServer();
    for (const path of ['/api/embeddings', '/api/embed']) {
      const settings = { source: 'ollama', model: 'm', url: server.url + path };
      const vectors = await embed(settings, ['banana', 'aeon']);
      expect(vectors.map((vector) => [...vector])).toEqual(['banana', 'aeon'].map(vectorOf));
    }
    const bodies = server.asked.map(({ body }) => body);
    expect(bodies).toContainEqual({ model: 'm', prompt: 'banana' });
    expect(bodies).toContainEqual({ model: 'm', input: ['banana', 'aeon'] });
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
  });

  test('an address that ollama does not have is refused before anything is sent', async () => {
    expect(() =>
      embed({ source: 'ollama', model: 'm', url: 'http://127.0.0.1:9/x' }, ['a']),
    ).toThrow('user error: unsupported Ollama URL.');
  });

  test('a rest service gets its own request and headers, and JSON in place of a fragment', async () => {
    const server = await embeddingServer();
    const settings: EmbedderSettings = {
      ...plain(`${server.url}/mine`),
      request: { input: '{{fragment}}', kind: 3 },
      headers: { 'x-mine': 'yes' },
      indexingFragments: { a: { value: {} } },
    };
    await embed(settings, [{ picture: 'a' }]);
    expect(server.asked[0]?.body).toEqual({ input: { picture: 'a' }, kind: 3 });
    expect(server.asked[0]?.headers['x-mine']).toBe('yes');
  });

  test('a composite asks one half for documents and the other for queries', async () => {
    const server = await embeddingServer();
    const half = (path: string) => plain(server.url + path);
    const settings: EmbedderSettings = {
      source: 'composite',
      indexingEmbedder: half('/documents'),
      searchEmbedder: half('/queries'),
    };
    const { signal } = new AbortController();
    for (const purpose of ['indexing', 'search'] as const) {
      await makeEmbedder(settings, purpose, defaults).embed(['a'], { signal, purpose });
    }
    expect(server.asked.map(({ path }) => path)).toEqual(['/documents', '/queries']);
  });
});

describe('what goes wrong', () => {
  test('an internal error is tried again', async () => {
    const server = await embeddingServer();
    server.faults.push(answers(500, 'busy'), answers(503, 'busy'));
    const [vector] = await embed(plain(server.url), ['aa']);
    expect([...(vector ?? [])]).toEqual(vectorOf('"aa"'));
    expect(server.asked).toHaveLength(3);
  });

  test('a truncated answer is tried again', async () => {
    const server = await embeddingServer();
    server.faults.push(answers(200, '{"vector":[1,2'));
    await expect(embed(plain(server.url), ['a'])).resolves.toHaveLength(1);
  });

  test('too many requests wait as long as the service says', async () => {
    const server = await embeddingServer();
    server.faults.push(answers(429, 'slow down', { 'retry-after': '0' }));
    await expect(embed(plain(server.url), ['a'])).resolves.toHaveLength(1);
    server.faults.push(answers(429, 'slow down', { 'retry-after': '30' }));
    const stop = new AbortController();
    const waiting = embed(plain(server.url), ['a'], stop.signal);
    await expect.poll(() => server.asked.length).toBe(3);
    setTimeout(() => stop.abort(), 200);
    await expect(waiting).rejects.toThrow(
      'runtime error: sent too many requests to embedding server\n  - server replied with `slow down`',
    );
    expect(server.asked).toHaveLength(3);
  });

  test.each([
    [400, 'user error: sent a bad request to embedding server\n  - server replied with `no`'],
    [
      401,
      'user error: could not authenticate against embedding server\n  - server replied with `no`',
    ],
    [
      404,
      'user error: received unexpected HTTP 404 from embedding server\n  - server replied with `no`',
    ],
  ])('HTTP %i is not tried again', async (status, message) => {
    const server = await embeddingServer();
    server.faults.push(answers(status, 'no'));
    await expect(embed(plain(server.url), ['a'])).rejects.toThrow(message);
    expect(server.asked).toHaveLength(1);
  });

  test('a message never repeats the key, although the service does', async () => {
    const server = await embeddingServer();
    server.faults.push(answers(401, 'wrong key: a-very-secret-key'));
    const failed = embed({ ...plain(server.url), apiKey: 'a-very-secret-key' }, ['a']);
    await expect(failed).rejects.toThrow('wrong key: a-XXXX...');
  });

  test('vectors of a wrong length are refused', async () => {
    const server = await embeddingServer();
    await expect(embed({ ...plain(server.url), dimensions: 3 }, ['a'])).rejects.toThrow(
      'runtime error: was expecting embeddings of dimension `3`, got embeddings of dimensions `5`',
    );
  });

  test('an answer without vectors says what was expected where', async () => {
    const server = await embeddingServer();
    server.faults.push(answers(200, '{"vectors":[1]}'));
    await expect(embed(plain(server.url), ['a'])).rejects.toThrow(
      'in `response.vector`, while extracting "{{embedding}}", expected an array of numbers, but found nothing',
    );
  });

  test('a number that a vector cannot hold is refused', async () => {
    const server = await embeddingServer();
    server.faults.push(answers(200, '{"vector":[1,1e39]}'));
    await expect(embed(plain(server.url), ['a'])).rejects.toThrow(
      'in `response.vector`, while extracting "{{embedding}}", expected numbers that 32 bits hold, but found a number',
    );
  });

  test('fewer vectors than texts are refused', async () => {
    const server = await embeddingServer();
    server.faults.push(answers(200, '{"embeddings":[[1]]}'));
    const settings = { source: 'ollama', model: 'm', url: `${server.url}/api/embed` };
    await expect(embed(settings, ['a', 'b'])).rejects.toThrow(
      'expected a response containing 2 embeddings, got only 1',
    );
  });

  test('a service that is slow ends with the time that a search has', async () => {
    const server = await embeddingServer();
    server.faults.push(() => undefined);
    const limited = embed(plain(server.url), ['a'], AbortSignal.timeout(50));
    await expect(limited).rejects.toThrow('runtime error: the time for embedding is over');
  });

  test('a service that is not there is named as such once time is over', async () => {
    const refused = embed(plain('http://127.0.0.1:9/x'), ['a'], AbortSignal.timeout(300));
    await expect(refused).rejects.toThrow('runtime error: could not reach embedding server');
  });
});
