import { expect, test } from 'vitest';
import { Serval } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';

type Movie = { id: number; title: string };

test('documents are added, found, read, deleted and still there after a restart', async () => {
  const path = dataFolder();
  const db = await Serval.open(path);
  const movies = db.index<Movie>('movies');
  const write = await movies.addDocuments([
    { id: 1, title: 'The Quiet Harbour' },
    { id: 2, title: 'A Loud Mountain' },
  ]);
  expect((await write.wait()).details).toEqual({ receivedDocuments: 2, indexedDocuments: 2 });
  expect((await movies.search('harbour')).hits).toEqual([{ id: 1, title: 'The Quiet Harbour' }]);
  expect(await movies.getDocument(2)).toEqual({ id: 2, title: 'A Loud Mountain' });
  await (await movies.deleteDocument(1)).wait();
  await (await movies.updateSettings({ stopWords: ['a'] })).wait();
  await db.close();

  await using again = await Serval.open(path);
  const reopened = again.index<Movie>('movies');
  expect((await reopened.getDocuments()).results).toEqual([{ id: 2, title: 'A Loud Mountain' }]);
  expect((await reopened.settings()).stopWords).toEqual(['a']);
  expect(await reopened.stats()).toMatchObject({ numberOfDocuments: 1, isIndexing: false });
});
