import { describe, expect, test } from 'vitest';
import { joined, startMember } from './network-members.js';
import type { Server } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

const NOTES = {
  a: [
    { id: 1, kind: 'Red', text: 'first' },
    { id: 2, kind: 'blue', text: 'second' },
  ],
  b: [
    { id: 11, kind: 'red', text: 'third' },
    { id: 12, kind: 'green', text: 'fourth' },
  ],
};

interface Answer {
  readonly hits: { readonly id: number }[];
  readonly results: { readonly id: number }[];
  readonly total: number;
  readonly remoteErrors?: Record<string, { readonly code: string }>;
}

const post = <T = Answer>({ url }: Server, path: string, body: object): Promise<T> =>
  ask<T>(`${url}/indexes/notes/${path}`, 'POST', body);

const search = (server: Server, body: object = {}): Promise<Answer> =>
  post(server, 'search', { useNetwork: true, ...body });

const ids = (documents: readonly { readonly id: number }[]): number[] =>
  documents.map(({ id }) => id).sort((a, b) => a - b);

/** Servers a and b, each with documents of its own. */
async function two(shards: Readonly<Record<string, readonly string[]>> = {}) {
  const [a, b] = await Promise.all([startMember(NOTES.a), startMember(NOTES.b)]);
  await joined({ a, b }, shards);
  return { a, b };
}

test('what hits are compared by is told to servers of a network alone', async () => {
  const a = await startMember(NOTES.a);
  await write(a.url, 'PATCH', '/indexes/notes/settings', {
    displayedAttributes: ['id'],
    sortableAttributes: ['text'],
  });
  const asked = async (): Promise<string> => {
    const response = await fetch(`${a.url}/multi-search`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${MASTER_KEY}`,
        'Content-Type': 'application/json',
        'Svc-Proxy-Search': 'true',
      },
      body: JSON.stringify({
        federation: { distinct: 'kind' },
        queries: [{ indexUid: 'notes', sort: ['text:asc'] }],
      }),
    });
    return response.text();
  };
  expect(await asked()).toContain('"value":"first"');
  await ask(`${a.url}/experimental-features`, 'PATCH', { network: false });
  const alone = await asked();
  expect(alone).toContain('"hits":[{"id":1,');
  expect(alone).not.toMatch(/first|Red|weightedScoreValues|distinctValues/);
});

describe('a search for facet values over the network', () => {
  test('adds up what the servers count, and orders it as one server would', async () => {
    const { a, b } = await two();
    const asked = { facetName: 'kind', useNetwork: true };
    expect(await post(a, 'facet-search', asked)).toEqual({
      facetHits: [
        { value: 'blue', count: 1 },
        { value: 'green', count: 1 },
        { value: 'Red', count: 2 },
      ],
      facetQuery: null,
      processingTimeMs: expect.any(Number),
      remoteErrors: {},
    });
    const narrowed = { ...asked, facetQuery: 're', q: 'third' };
    expect(await post(b, 'facet-search', narrowed)).toMatchObject({
      facetHits: [{ value: 'red', count: 1 }],
      facetQuery: 're',
    });
  });

  test('tells which server did not answer, and fails for what is wrong here', async () => {
    const { a, b } = await two();
    await b.stop('SIGKILL');
    const asked = { facetName: 'kind', useNetwork: true };
    const answer = await post<{ facetHits: object[] } & Answer>(a, 'facet-search', asked);
    expect(answer.facetHits).toHaveLength(2);
    expect(answer.remoteErrors).toMatchObject({ b: { code: 'remote_could_not_send_request' } });
    await expect(post(a, 'facet-search', { facetName: 'text', useNetwork: true })).rejects.toThrow(
      'invalid_facet_search_facet_name',
    );
  });
});

describe('a shard that several servers hold', () => {
  test('is searched once, on another server when the first does not answer', async () => {
    const [a, b, copy] = await Promise.all([
      startMember(NOTES.a),
      startMember(NOTES.b),
      startMember(NOTES.b),
    ]);
    await joined({ a, b, c: copy }, { north: ['a'], south: ['b', 'c'] });
    expect(ids((await search(a)).hits)).toEqual([1, 2, 11, 12]);
    await b.stop('SIGKILL');
    const failing = await search(a);
    expect(ids(failing.hits)).toEqual([1, 2, 11, 12]);
    expect(failing.remoteErrors).toMatchObject({ b: { code: 'remote_could_not_send_request' } });
    // It is known not to answer, so the other one is asked first.
    const later = await search(a);
    expect(ids(later.hits)).toEqual([1, 2, 11, 12]);
    expect(later.remoteErrors).toEqual({});
    await copy.stop('SIGKILL');
    const alone = await search(a);
    expect(ids(alone.hits)).toEqual([1, 2]);
    expect(Object.keys(alone.remoteErrors ?? {}).sort()).toEqual(['b', 'c']);
  });

  test('can be named in filters, where it exists', async () => {
    const { a } = await two({ north: ['a'], south: ['b'] });
    expect(ids((await search(a, { filter: '_shard = south' })).hits)).toEqual([11, 12]);
    expect(ids((await search(a, { filter: '_shard != south AND kind = red' })).hits)).toEqual([1]);
    expect(ids((await post(a, 'search', { filter: '_shard = south' })).hits)).toEqual([]);
    const listed = await post(a, 'documents/fetch', { filter: '_shard IN [north]' });
    expect(ids(listed.results)).toEqual([1, 2]);
    await expect(search(a, { filter: '_shard = east' })).rejects.toThrow(
      'Shard `east` does not exist',
    );
    await ask(`${a.url}/experimental-features`, 'PATCH', { network: false });
    await expect(post(a, 'search', { filter: '_shard = south' })).rejects.toThrow(
      'using a shard filter requires enabling the `network` experimental feature',
    );
  });
});

describe('documents over the network', () => {
  test('are listed server by server, page by page', async () => {
    const { a } = await two();
    const page = (offset: number, limit: number) =>
      post(a, 'documents/fetch', { useNetwork: true, offset, limit });
    const all = await page(0, 20);
    expect(all.results.map(({ id }) => id)).toEqual([1, 2, 11, 12]);
    expect(all).toMatchObject({ total: 4, offset: 0, limit: 20, remoteErrors: {} });
    expect((await page(1, 2)).results.map(({ id }) => id)).toEqual([2, 11]);
    expect((await page(3, 5)).results.map(({ id }) => id)).toEqual([12]);
    expect(await page(9, 5)).toMatchObject({ results: [], total: 4 });
    const path = `${a.url}/indexes/notes/documents?useNetwork=true&filter=kind=red&fields=id`;
    expect(await ask(path)).toMatchObject({ results: [{ id: 1 }, { id: 11 }], total: 2 });
    await expect(
      post(a, 'documents/fetch', { useNetwork: true, sort: ['id:asc'] }),
    ).rejects.toThrow('invalid_document_sort');
  });

  test('are found by their id on whichever server has them', async () => {
    const { a, b } = await two();
    const one = (id: number, more = '') => ask(`${a.url}/indexes/notes/documents/${id}${more}`);
    await expect(one(11)).rejects.toThrow('document_not_found');
    expect(await one(11, '?useNetwork=true')).toEqual(NOTES.b[0]);
    expect(await one(12, '?useNetwork=true&fields=kind')).toEqual({ kind: 'green' });
    await expect(one(99, '?useNetwork=true')).rejects.toThrow('document_not_found');
    await b.stop('SIGKILL');
    await expect(one(11, '?useNetwork=true')).rejects.toThrow('document_not_found');
    const listed = await post(a, 'documents/fetch', { useNetwork: true });
    expect(listed.remoteErrors).toMatchObject({ b: { code: 'remote_could_not_send_request' } });
  });

  test('are not read with a key that may search alone', async () => {
    const { a, b } = await two();
    const { key } = await ask<{ key: string }>(`${b.url}/keys`, 'POST', {
      actions: ['search'],
      indexes: ['*'],
      expiresAt: null,
    });
    const remotes = { b: { searchApiKey: key, writeApiKey: null } };
    await ask(`${a.url}/network`, 'PATCH', { remotes });
    expect(ids((await search(a)).hits)).toEqual([1, 2, 11, 12]);
    const listed = await post(a, 'documents/fetch', { useNetwork: true });
    expect(ids(listed.results)).toEqual([1, 2]);
    expect(listed.remoteErrors).toMatchObject({ b: { code: 'remote_invalid_api_key' } });
    expect(MASTER_KEY).not.toBe(key);
  });
});
