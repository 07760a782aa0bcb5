import { Index } from 'meilisearch';
import { expect } from 'vitest';
import { FILMS, type Film, type MethodCheck } from './method-check.js';

const ids = (documents: readonly { id: number }[]): number[] => documents.map(({ id }) => id);

async function storedIds(index: Index<Film>): Promise<number[]> {
  return ids((await index.getDocuments()).results);
}

const NEW_FILM: Film = { id: 9, title: 'Solaris' };

/** A check of every method of an index, settings apart. */
export const INDEX_METHODS: Readonly<Record<string, MethodCheck>> = {
  search: async ({ index }) => {
    const found = await index.search('alien', { filter: 'year > 1980', facets: ['genre'] });
    expect(ids(found.hits)).toEqual([2]);
    expect(found.facetDistribution).toEqual({ genre: { action: 1 } });
  },
  searchGet: async ({ index }) => {
    const found = await index.searchGet('alein', { limit: 1, attributesToRetrieve: ['id'] });
    expect(found.hits).toEqual([{ id: 1 }]);
  },
  searchForFacetValues: async ({ index }) => {
    const found = await index.searchForFacetValues({ facetName: 'genre', facetQuery: 'hor' });
    expect(found.facetHits).toEqual([{ value: 'horror', count: 1 }]);
  },
  searchSimilarDocuments: async ({ index }) => {
    await index.deleteAllDocuments().waitTask();
    await index.updateEmbedders({ e: { source: 'userProvided', dimensions: 2 } }).waitTask();
    const vectors = [
      [1, 0],
      [0.9, 0.1],
      [0, 1],
    ];
    const documents = FILMS.map((film, at) => ({ ...film, _vectors: { e: vectors[at] } }));
    await index.addDocuments(documents).waitTask();
    const found = await index.searchSimilarDocuments({ id: '1', embedder: 'e', limit: 1 });
    expect(ids(found.hits)).toEqual([2]);
  },
  getRawInfo: async ({ index }) => {
    expect(await index.getRawInfo()).toMatchObject({ uid: index.uid, primaryKey: 'id' });
  },
  fetchInfo: async ({ index }) => {
    const info = await index.fetchInfo();
    expect(info.createdAt).toBeInstanceOf(Date);
  },
  fetchPrimaryKey: async ({ index }) => {
    expect(await index.fetchPrimaryKey()).toBe('id');
  },
  update: async ({ client }) => {
    await client.createIndex('empty-for-update').waitTask();
    const task = await client.index('empty-for-update').update({ primaryKey: 'key' }).waitTask();
    expect(task).toMatchObject({ status: 'succeeded', type: 'indexUpdate' });
  },
  delete: async ({ index }) => {
    expect(await index.delete().waitTask()).toMatchObject({ details: { deletedDocuments: 3 } });
    await expect(index.getRawInfo()).rejects.toThrow(/not found/);
  },
  getStats: async ({ index }) => {
    const stats = await index.getStats();
    expect(stats).toMatchObject({ numberOfDocuments: 3, isIndexing: false });
    expect(stats.fieldDistribution).toEqual({ id: 3, title: 3, genre: 3, year: 3 });
  },
  getDocuments: async ({ index }) => {
    const found = await index.getDocuments({ filter: 'year < 1983', fields: ['id'], limit: 1 });
    expect(found).toMatchObject({ results: [{ id: 1 }], total: 2, limit: 1, offset: 0 });
  },
  getDocument: async ({ index }) => {
    expect(await index.getDocument(3, { fields: ['title'] })).toEqual({ title: 'Blade Runner' });
  },
  addDocuments: async ({ index }) => {
    const task = await index.addDocuments([NEW_FILM]).waitTask();
    expect(task.details).toEqual({ receivedDocuments: 1, indexedDocuments: 1 });
    expect(await storedIds(index)).toEqual([1, 2, 3, 9]);
  },
  addDocumentsFromString: async ({ index }) => {
    const csv = 'id;title\n9;Solaris\n10;Stalker\n';
    await index.addDocumentsFromString(csv, 'text/csv', { csvDelimiter: ';' }).waitTask();
    expect(await storedIds(index)).toHaveLength(5);
  },
  addDocumentsInBatches: async ({ index, client }) => {
    const films = Array.from({ length: 5 }, (_, at) => ({ id: 10 + at, title: `film ${at}` }));
    const tasks = await client.tasks.waitForTasks(
      await Promise.all(index.addDocumentsInBatches(films, 2)),
    );
    expect(tasks.map(({ details }) => details?.receivedDocuments)).toEqual([2, 2, 1]);
    expect(await storedIds(index)).toHaveLength(8);
  },
  updateDocuments: async ({ index }) => {
    await index.updateDocuments([{ id: 1, year: 2000 }]).waitTask();
    expect(await index.getDocument(1)).toEqual({ ...FILMS[0], year: 2000 });
  },
  updateDocumentsInBatches: async ({ index, client }) => {
    const changes = FILMS.map(({ id }) => ({ id, year: 1 }));
    await client.tasks.waitForTasks(await Promise.all(index.updateDocumentsInBatches(changes, 1)));
    expect((await index.search('', { filter: 'year = 1' })).hits).toHaveLength(3);
  },
  updateDocumentsFromString: async ({ index }) => {
    const lines = '{"id":1,"year":3}\n{"id":2,"year":3}\n';
    await index.updateDocumentsFromString(lines, 'application/x-ndjson').waitTask();
    expect(await index.getDocument(2)).toEqual({ ...FILMS[1], year: 3 });
  },
  deleteDocument: async ({ index }) => {
    await index.deleteDocument(2).waitTask();
    expect(await storedIds(index)).toEqual([1, 3]);
  },
  deleteDocuments: async ({ index }) => {
    await index.deleteDocuments([1]).waitTask();
    await index.deleteDocuments({ filter: 'year = 1982' }).waitTask();
    expect(await storedIds(index)).toEqual([2]);
  },
  deleteAllDocuments: async ({ index }) => {
    await index.deleteAllDocuments().waitTask();
    expect(await storedIds(index)).toEqual([]);
  },
  compact: async ({ index }) => {
    expect(await index.compact().waitTask()).toMatchObject({
      status: 'succeeded',
      type: 'indexCompaction',
    });
  },
  updateDocumentsByFunction: async ({ index }) => {
    const task = index.updateDocumentsByFunction({
      function: 'doc.title = doc.title + context.end',
      context: { end: '!' },
      filter: 'id = 1',
    });
    expect(await task.waitTask()).toMatchObject({ status: 'succeeded' });
    expect(await index.getDocument(1)).toMatchObject({ title: 'Alien!' });
  },
  getSettings: async ({ index }) => {
    expect(await index.getSettings()).toMatchObject({ sortableAttributes: ['year'] });
  },
  updateSettings: async ({ index }) => {
    await index.updateSettings({ stopWords: ['the'], synonyms: { film: ['movie'] } }).waitTask();
    expect(await index.getSettings()).toMatchObject({
      stopWords: ['the'],
      synonyms: { film: ['movie'] },
      sortableAttributes: ['year'],
    });
  },
  resetSettings: async ({ index }) => {
    await index.resetSettings().waitTask();
    expect(await index.getSettings()).toMatchObject({ sortableAttributes: [] });
  },
  getFields: async ({ index }) => {
    const { results } = await index.getFields({ limit: 2 });
    expect(results.map(({ name }) => name)).toEqual(['genre', 'id']);
  },
  create: async ({ client }) => {
    const task = Index.create('created-by-class', { primaryKey: 'id' }, client.config);
    expect(await task.waitTask()).toMatchObject({ status: 'succeeded', type: 'indexCreation' });
  },
};
