import { expect, onTestFinished, test } from 'vitest';
import { Serval } from '../../src/serval.js';

type Book = { id: number; title: string; year?: number };

async function withBooks(isOn = true) {
  const db = await Serval.memory();
  onTestFinished(() => db.close());
  await db.features.set({ editDocumentsByFunction: isOn });
  const books = db.index<Book>('books');
  await books.updateSettings({ filterableAttributes: ['year'] });
  const documents = [
    { id: 1, title: 'old', year: 1950 },
    { id: 2, title: 'new', year: 2020 },
  ];
  await (await books.addDocuments(documents)).wait();
  return books;
}

test('a function edits the documents that pass a filter, and may read a context', async () => {
  const books = await withBooks();
  const task = await books.editDocuments('doc.title = context.prefix + doc.title', {
    filter: (where) => where('year').lessThan(2000),
    context: { prefix: 'very ' },
    customMetadata: 'by hand',
  });
  const ended = await task.wait();
  expect(ended).toMatchObject({ type: 'documentEdition', customMetadata: 'by hand' });
  expect(ended.details).toMatchObject({ editedDocuments: 1, context: { prefix: 'very ' } });
  expect((await books.getDocuments()).results.map(({ title }) => title)).toEqual([
    'very old',
    'new',
  ]);
});

test('without a filter all documents are edited; one that is set to nothing is deleted', async () => {
  const books = await withBooks();
  const code = 'if doc.id == 1 { doc = () } else { doc.remove("year") }';
  await (await books.editDocuments(code)).wait();
  expect((await books.getDocuments()).results).toEqual([{ id: 2, title: 'new' }]);
});

test('what cannot be run is refused before anything is enqueued', async () => {
  const books = await withBooks();
  await expect(books.editDocuments('doc.title = ')).rejects.toMatchObject({ code: 'bad_request' });
  await expect(books.editDocuments('1', { filter: 'year >' })).rejects.toMatchObject({
    code: 'invalid_document_filter',
  });
  await expect(books.editDocuments('1', { context: [] as never })).rejects.toMatchObject({
    code: 'invalid_document_edition_context',
  });
});

test('editing needs its feature', async () => {
  const books = await withBooks(false);
  await expect(books.editDocuments('1')).rejects.toMatchObject({ code: 'feature_not_enabled' });
});
