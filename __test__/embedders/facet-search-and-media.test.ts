import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { Serval } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';
import { type EmbeddingServer, embeddingServer, vectorOf } from './embedding-server.js';

const FILMS = [
  { id: 1, title: 'aaaa', genre: 'drama' },
  { id: 2, title: 'eeee', genre: 'drama' },
  { id: 3, title: 'iiii', genre: 'comedy' },
];

let provider: EmbeddingServer;
let db: Serval;
let call: (
  url: string,
  payload: object,
  method?: 'POST' | 'PATCH',
) => Promise<{
  readonly status: number;
  readonly body: {
    readonly hits: { readonly id: number }[];
    readonly facetHits: object[];
    readonly code?: string;
    readonly message?: string;
    readonly taskUid: number;
  };
}>;

const write = async (url: string, payload: object, method: 'POST' | 'PATCH') => {
  const { body } = await call(url, payload, method);
  expect(await db.tasks.waitFor(body.taskUid)).toMatchObject({ status: 'succeeded' });
};

/** An embedder that takes the title of documents, and of queries their text or an image. */
const embedders = (url: string) => ({
  pictures: {
    source: 'rest',
    url: `${url}/fragments`,
    request: { input: '{{fragment}}' },
    response: { vector: '{{embedding}}' },
    indexingFragments: { title: { value: '{{doc.title}}' } },
    searchFragments: {
      text: { value: { words: '{{q}}' } },
      image: { value: { data: '{{media.image.data}}' } },
    },
  },
  plain: {
    source: 'rest',
    url: `${url}/plain`,
    request: { input: '{{text}}' },
    response: { vector: '{{embedding}}' },
    documentTemplate: '{{doc.title}}',
  },
  own: { source: 'userProvided', dimensions: 2 },
});

beforeEach(async () => {
  provider = await embeddingServer();
  db = await Serval.open(dataFolder(), { features: ['multimodal'] });
  const app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6 });
  onTestFinished(async () => {
    await app.close();
    await db.close();
  });
  call = async (url, payload, method = 'POST') => {
    const response = await app.inject({ method, url, payload });
    return { status: response.statusCode, body: response.json() };
  };
  const settings = { filterableAttributes: ['genre', 'id'], embedders: embedders(provider.url) };
  await write('/indexes/m/settings', settings, 'PATCH');
  const vectors = { _vectors: { own: [1, 0] } };
  await write(
    '/indexes/m/documents',
    FILMS.map((film) => ({ ...film, ...vectors })),
    'POST',
  );
  provider.asked.length = 0;
});

const search = (body: object) => call('/indexes/m/search', body);

describe('a search by media', () => {
  const image = { image: { data: 'eee' } };
  const hybrid = { embedder: 'pictures', semanticRatio: 1 };

  test('is embedded by the fragment that it fills', async () => {
    const { body } = await search({ media: image, hybrid, retrieveVectors: true });
    expect(provider.asked.map((one) => one.body)).toEqual([{ input: { data: 'eee' } }]);
    expect(body.hits[0]?.id).toBe(2);
    expect(body).toMatchObject({ queryVector: vectorOf('{"data":"eee"}'), semanticHitCount: 3 });
  });

  test('of text is embedded by the fragment for text', async () => {
    await search({ q: 'eee', hybrid });
    expect(provider.asked.map((one) => one.body)).toEqual([{ input: { words: 'eee' } }]);
  });

  test.each([
    [
      { media: { sound: 1 } },
      'Query matches no search fragment.\n  - Note: {"q":null,"media":{"sound":1}}',
    ],
    [
      { q: 'e', media: image },
      'Query matches multiple search fragments.\n  - Note: First matched fragment `text`.\n  - Note: Second matched fragment `image`.\n  - Note: {"q":"e","media":{"image":{"data":"eee"}}}',
    ],
    [
      { media: image, hybrid: { embedder: 'plain' } },
      "`media` requested, and the configuration has source `rest`, but the configuration doesn't have `searchFragments`.",
    ],
  ])('%j is refused', async (asked, reason) => {
    const { status, body } = await search({ hybrid, ...asked });
    expect([status, body.code]).toEqual([400, 'vector_embedding_error']);
    expect(body.message).toBe(`Error while generating embeddings: user error: ${reason}`);
  });

  test('needs its feature, an embedder, and no vector beside it', async () => {
    const both = await search({ media: image, vector: [1], hybrid });
    expect(both.body.code).toBe('invalid_search_media_and_vector');
    expect((await search({ media: image })).body.code).toBe('missing_search_hybrid');
    await db.features.set({ multimodal: false });
    const { status, body } = await search({ media: image, hybrid });
    expect([status, body.code]).toEqual([400, 'feature_not_enabled']);
    expect(body.message).toContain('passing `media` in a search query requires');
  });
});

describe('a facet search with vectors', () => {
  const facetSearch = (body: object) =>
    call('/indexes/m/facet-search', { facetName: 'genre', ...body });
  const all = [
    { value: 'comedy', count: 1 },
    { value: 'drama', count: 2 },
  ];

  test('counts every document that passes the filter, and embeds nothing', async () => {
    const hybrid = { embedder: 'plain', semanticRatio: 0.5 };
    expect((await facetSearch({ q: 'eeee' })).body.facetHits).toEqual([
      { value: 'drama', count: 1 },
    ]);
    expect((await facetSearch({ q: 'eeee', hybrid })).body.facetHits).toEqual(all);
    const filtered = await facetSearch({ q: 'eeee', hybrid, filter: 'id < 3' });
    expect(filtered.body.facetHits).toEqual([{ value: 'drama', count: 2 }]);
    const own = { embedder: 'own', semanticRatio: 1 };
    expect((await facetSearch({ vector: [0, 1], hybrid: own })).body.facetHits).toEqual(all);
    expect(provider.asked).toEqual([]);
  });

  test('goes by words alone when vectors weigh nothing', async () => {
    const hybrid = { embedder: 'plain', semanticRatio: 0 };
    expect((await facetSearch({ q: 'eeee', hybrid })).body.facetHits).toEqual([
      { value: 'drama', count: 1 },
    ]);
  });

  test.each([
    [{ q: 'e', hybrid: { embedder: 'none' } }, 'invalid_search_embedder'],
    [{ vector: [1, 2, 3], hybrid: { embedder: 'own' } }, 'invalid_vector_dimensions'],
    [{ vector: [1, 2] }, 'missing_search_hybrid'],
    [{ q: 'e', hybrid: { embedder: 1 } }, 'invalid_search_embedder'],
    [{ useNetwork: true }, 'feature_not_enabled'],
  ])('%j is refused as %s', async (asked, code) => {
    const { status, body } = await facetSearch(asked);
    expect([status, body.code]).toEqual([400, code]);
  });
});
