import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/errors/api-error.js';
import { type EmbeddableQuery, withQueryVector } from '../../src/search/query-vector.js';
import type { SearchRequest } from '../../src/search/search-request.js';

const settings = {
  embedders: { rest: { source: 'rest' }, own: { source: 'userProvided', dimensions: 2 } },
  searchCutoffMs: 80,
};
const reader = { settingsWithoutWords: async () => JSON.stringify(settings) };

async function prepared(request: SearchRequest, answer?: readonly number[]) {
  const asked: EmbeddableQuery[] = [];
  const embed = async (query: EmbeddableQuery) => {
    asked.push(query);
    if (answer === undefined) throw new ApiError('vector_embedding_error', 'no answer');
    return answer;
  };
  const surroundings = { queryEmbedder: { embed }, stop: undefined };
  return { request: await withQueryVector('films', request, reader, surroundings), asked };
}

describe('the vector of a query', () => {
  test('is asked of the embedder, within the time that the search has', async () => {
    const { request, asked } = await prepared({ q: 'boat', hybrid: { embedder: 'rest' } }, [1, 2]);
    expect(request.vector).toEqual([1, 2]);
    expect(asked).toEqual([
      {
        indexUid: 'films',
        embedder: 'rest',
        settings: { source: 'rest' },
        q: 'boat',
        media: undefined,
        timeoutMs: 80,
      },
    ]);
  });

  test.each<[string, SearchRequest]>([
    ['the request brings one', { q: 'boat', vector: [3], hybrid: { embedder: 'rest' } }],
    ['only words count', { q: 'boat', hybrid: { embedder: 'rest', semanticRatio: 0 } }],
    ['there is nothing to embed', { q: '  ', hybrid: { embedder: 'rest' } }],
    ['the embedder is not set up', { q: 'boat', hybrid: { embedder: 'none' } }],
    ['every object has its name', { q: 'boat', hybrid: { embedder: 'constructor' } }],
    ['users give the vectors', { q: 'boat', hybrid: { embedder: 'own' } }],
    ['no embedder is named', { q: 'boat' }],
  ])('is not asked for when %s', async (_, request) => {
    const result = await prepared(request, [1, 2]);
    expect(result.asked).toEqual([]);
    expect(result.request).toBe(request);
  });

  test('that cannot be had leaves a search by words, if words count', async () => {
    const hybrid = { embedder: 'rest', semanticRatio: 0.9 };
    const { request } = await prepared({ q: 'boat', hybrid });
    expect(request.vector).toBeUndefined();
  });

  test('that cannot be had fails a search by vectors alone', async () => {
    const hybrid = { embedder: 'rest', semanticRatio: 1 };
    await expect(prepared({ q: 'boat', hybrid })).rejects.toThrow('no answer');
  });
});
