import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Index, Serval, ServalError, TaskFailedError } from '../../src/index.js';

interface Movie {
  id: number;
  title: string;
  year: number;
  genres: string[];
}

const MOVIES: Movie[] = [
  { id: 1, title: 'The Godfather', year: 1972, genres: ['Drama', 'Crime'] },
  { id: 2, title: 'The Gold Rush', year: 1925, genres: ['Comedy'] },
  { id: 3, title: 'Stalker', year: 1979, genres: ['Drama', 'Mystery'] },
];

let db: Serval;
let movies: Index<Movie>;

beforeAll(async () => {
  db = await Serval.memory();
  movies = db.index('movies');
  await movies.updateSettings({
    filterableAttributes: ['genres', 'year'],
    sortableAttributes: ['year'],
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
  });
  const vectors = [
    [1, 0],
    [0.9, 0.1],
    [0, 1],
  ];
  const rows = MOVIES.map((movie, at) => ({ ...movie, _vectors: { own: vectors[at] } }));
  await (await movies.addDocuments(rows)).wait();
});

afterAll(() => db.close());

const ids = (found: { hits: { id: number }[] }): number[] => found.hits.map(({ id }) => id);

describe('an index with a document type', () => {
  test('searches with filter, order and facets', async () => {
    const found = await movies.search('', {
      filter: (where) => where('genres').is('Drama').or(where('year').lessThan(1930)),
      sort: ['year:desc'],
      facets: ['genres'],
      attributesToRetrieve: ['id', 'title'],
    });

    expect(found.hits).toEqual([3, 1, 2].map((id) => ({ id, title: MOVIES[id - 1]?.title })));
    expect(found.facetDistribution?.genres).toMatchObject({ Drama: 2, Comedy: 1 });
  });

  test('finds documents in any script, the first time and when the answer is remembered', async () => {
    const texts = db.index<{ id: number; text: string }>('texts');
    const rows = [
      { id: 1, text: 'plain words' },
      { id: 2, text: `déjà vu ${'in plain words '.repeat(20)}\\ "quoted"\n\u0001` },
      { id: 3, text: `it’s a film 🎬 ${'in plain words '.repeat(20)}` },
      { id: 4, text: 'Преступление и наказание, 罪と罰 🎬' },
    ];
    await (await texts.addDocuments(rows)).wait();

    for (const row of [...rows, ...rows]) {
      const word = row.text.split(' ')[0] ?? '';
      expect((await texts.search(word, { limit: 1 })).hits).toEqual([row]);
    }
    expect((await texts.search('')).hits).toEqual(rows);
    await (await texts.drop()).wait();
  });

  test('refuses what a server would refuse, with the same code and words', async () => {
    const wrong = { limit: -1 };
    const error = await movies.search('', wrong).catch((reason) => reason);

    expect(error).toBeInstanceOf(ServalError);
    expect(error).toMatchObject({ code: 'invalid_search_limit' });
    expect(error.message).toContain('`.limit`');
    expect(() => db.index('not/a uid')).toThrow('not a valid index uid');
    await expect(movies.getDocument('a b')).rejects.toMatchObject({ code: 'invalid_document_id' });
    await expect(movies.deleteDocuments({ filter: '' })).rejects.toMatchObject({
      code: 'invalid_document_filter',
    });
    const settings = { rankingRules: ['attribute', 'attributeRank'] } as const;
    await expect(movies.updateSettings(settings)).rejects.toMatchObject({
      code: 'invalid_settings_ranking_rules',
    });
  });

  test('searches the values of a facet', async () => {
    const { facetHits } = await movies.facetSearch('genres', 'dr', { filter: 'year > 1975' });
    expect(facetHits).toEqual([{ value: 'Drama', count: 1 }]);
  });

  test('finds similar documents', async () => {
    expect(ids(await movies.similar(1, { embedder: 'own' }))).toEqual([2, 3]);
    const filter = movies.where('year').greaterThan(1970);
    expect(ids(await movies.similar(1, { embedder: 'own', filter }))).toEqual([3]);
  });

  test('is walked through document by document', async () => {
    const titles: string[] = [];
    for await (const { title } of movies.documents({ filter: 'year > 1970' })) titles.push(title);
    expect(titles).toEqual(['The Godfather', 'Stalker']);
  });

  test('takes part in several searches at once, and in one list of hits', async () => {
    const filter = movies.where('year').lessThan(1930);
    const queries = [movies.query('godfather'), movies.query('', { filter })] as const;
    const { results } = await db.multiSearch(queries);
    const federated = await db.federatedSearch(queries, { limit: 5 });

    expect(results.map((found) => [found.indexUid, ids(found)])).toEqual([
      ['movies', [1]],
      ['movies', [2]],
    ]);
    expect(ids(federated).toSorted()).toEqual([1, 2]);
    await expect(db.multiSearch([{ indexUid: 'none' }])).rejects.toMatchObject({
      code: 'index_not_found',
    });
  });
});

describe('what takes long', () => {
  const reason = new Error('no longer wanted');
  const aborted = () => {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  };

  test('does not begin with a signal that is aborted', async () => {
    const signal = aborted();
    const tasks = (await db.tasks.list()).total;
    const begun = [
      movies.search('x', { signal }),
      movies.facetSearch('genres', '', { signal }),
      movies.similar(1, { embedder: 'own', signal }),
      movies.getDocuments({ signal }),
      movies.addDocuments([], { signal }),
      db.multiSearch([], { signal }),
      db.federatedSearch([], { signal }),
      Serval.memory({ signal }),
    ];
    for (const one of begun) await expect(one).rejects.toBe(reason);
    expect((await db.tasks.list()).total).toBe(tasks);
  });

  test('ends a source of documents that says nothing, and keeps nothing of it', async () => {
    const controller = new AbortController();
    let isEnded = false;
    const silent = new Readable({
      objectMode: true,
      read: () => undefined,
      destroy: (error, done) => {
        isEnded = true;
        done(error);
      },
    });
    silent.push({ id: 9 });
    const adding = movies.addDocuments(silent, { signal: controller.signal });
    setImmediate(() => controller.abort(reason));

    await expect(adding).rejects.toBe(reason);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isEnded).toBe(true);
    await expect(movies.getDocument(9)).rejects.toMatchObject({ code: 'document_not_found' });
  });

  test('tells how far it is', async () => {
    const read: number[] = [];
    const steps: string[] = [];
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id, text: `some words for ${id}` }));
    const task = await db.index('many').addDocuments(rows, {
      onProgress: ({ documents }) => read.push(documents),
    });
    await task.wait({ onProgress: ({ status }) => steps.push(status) });

    expect(read.length).toBeGreaterThan(1);
    expect(read.at(-1)).toBe(3000);
    expect(read).toEqual(read.toSorted((a, b) => a - b));
    expect(steps.at(-1)).toBe('finished');
  });

  test('makes dumps and snapshots, from which instances start', async () => {
    await using from = await Serval.memory();
    await (await from.index<Movie>('movies').addDocuments(MOVIES)).wait();
    for (const [kind, path] of [
      ['dump', await from.dump()],
      ['snapshot', await from.snapshot()],
    ] as const) {
      await using copy = await Serval.memory({ importFrom: { kind, path } });
      expect((await copy.index<Movie>('movies').getDocuments()).results).toEqual(MOVIES);
    }
    await expect(from.dump({ signal: aborted() })).rejects.toBe(reason);
  });
});

test('a task that failed is thrown with its code', async () => {
  const rows: object[] = [{ name: 'without identifier' }];
  const task = await db.index<object>('refused').addDocuments(rows, { primaryKey: 'id' });
  const error = await task.wait().catch((thrown) => thrown);

  expect(error).toBeInstanceOf(TaskFailedError);
  expect(error).toBeInstanceOf(ServalError);
  expect(error.code).toBe('missing_document_id');
  expect(error.task).toMatchObject({ uid: task.taskUid, status: 'failed' });
});

test('an instance that is closed says so', async () => {
  const closed = await Serval.memory();
  const index = closed.index<{ id: number }>('one');
  await (await index.addDocuments([{ id: 1 }])).wait();
  await closed.close();

  await expect(index.search('')).rejects.toMatchObject({ message: 'The instance is closed.' });
  await expect(index.addDocuments([{ id: 2 }])).rejects.toThrow(/closed/);
});

test('keys are those of a server with the same master key', async () => {
  await using from = await Serval.memory();
  const keys = from.apiKeys('masterKeyOfTheTests');
  const uid = '00000000-0000-4000-8000-000000000001';
  const rights = { actions: ['search'], indexes: ['movies'], expiresAt: null } as const;
  const made = await keys.create({ uid, name: 'web', description: null, ...rights });

  expect(made.key).toMatch(/^[0-9a-f]{64}$/);
  expect(keys.get(uid)).toEqual(made);
  expect(keys.list(0, 20).total).toBe(5);
});

test('searches of a program follow foreign keys once they are on', async () => {
  const films = db.index<{ id: number; director: unknown }>('films');
  const people = db.index<{ id: number; name: string }>('people');
  await (await films.addDocuments([{ id: 1, director: 7 }])).wait();
  await (await people.addDocuments([{ id: 7, name: 'Ann' }])).wait();
  await db.features.set({ foreignKeys: true });
  try {
    await people.updateSettings({ filterableAttributes: ['name'] });
    const foreignKeys = [{ foreignIndexUid: 'people', fieldName: 'director' }];
    const task = await films.updateSettings({ filterableAttributes: ['director'], foreignKeys });
    await task.wait();
    const director = { id: 7, name: 'Ann' };
    const filter = '_foreign(director, name = Ann)';
    expect((await films.search('', { filter })).hits).toEqual([{ id: 1, director }]);
    const together = await db.multiSearch([{ indexUid: 'films', filter }]);
    expect(together.results[0]?.hits).toEqual([{ id: 1, director }]);
  } finally {
    await db.features.set({ foreignKeys: false });
  }
  expect((await films.search('')).hits).toEqual([{ id: 1, director: 7 }]);
});
