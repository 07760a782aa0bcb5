// A program as users of the package write it. The compiler checks it in place; package-types.test.ts checks it again
// against the declarations that are published. Nothing here runs.
import {
  and,
  filter,
  type Hit,
  type SearchResponse,
  Serval,
  ServalError,
  type Settings,
  type Task,
} from '../../src/index.js';

interface Movie {
  id: number;
  title: string;
  year?: number;
  rating: 'good' | 'bad';
  genres: string[];
  seen: boolean;
  cast: { name: string; age: number; awards: { title: string }[] }[];
  extra: unknown;
}

/** Holds when both types are the same. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function isSame<A, B>(same: Same<A, B>): boolean {
  return same;
}

export async function searching(db: Serval): Promise<void> {
  const movies = db.index<Movie>('movies');

  await movies.search('x', {
    sort: ['year:desc', 'cast.age:asc', '_geoPoint(1.5, 2):asc'],
    facets: ['genres', 'cast.name', '*'],
    attributesToHighlight: ['title', '*'],
    attributesToCrop: ['title:5'],
    distinct: 'cast.awards.title',
  });
  // @ts-expect-error no such attribute
  await movies.search('x', { sort: ['yaer:desc'] });
  // @ts-expect-error no such direction
  await movies.search('x', { sort: ['year:down'] });
  // @ts-expect-error no such attribute
  await movies.search('x', { facets: ['genre'] });
  // @ts-expect-error no such attribute below
  await movies.search('x', { facets: ['cast.nmae'] });
  // @ts-expect-error no such parameter
  await movies.search('x', { limitt: 3 });
  // @ts-expect-error no such strategy
  await movies.search('x', { matchingStrategy: 'first' });
  // @ts-expect-error no such member
  (await movies.search('x')).totalHit;

  const all = await movies.search('x');
  isSame<(typeof all)['hits'][number], Hit<Movie>>(true);
  const some = await movies.search('x', { attributesToRetrieve: ['title', 'cast.name'] });
  isSame<(typeof some)['hits'][number], Hit<Pick<Movie, 'title' | 'cast'>>>(true);
  // @ts-expect-error not retrieved
  some.hits[0]?.year;
  isSame<NonNullable<(typeof all.hits)[0]['_formatted']>['year'], string | undefined>(true);

  const { where } = movies;
  and(
    where('year').between(1970, 1980),
    where('genres').in(['Drama', 'Crime']),
    where('rating').is('good'),
    where('seen').isNot(true),
    where('cast.age').lessThan(50),
    where('cast.awards.title').startsWith('Best'),
    where('extra.anything').is(1),
    where('_geo').exists(),
  );
  // @ts-expect-error no such attribute
  where('yaer');
  // @ts-expect-error a number is compared with numbers
  where('year').is('1970');
  // @ts-expect-error none of its values
  where('rating').is('fair');
  // @ts-expect-error truth has no order
  where('seen').greaterThan(true);
  // @ts-expect-error a number does not start with anything
  where('year').startsWith('19');
  await movies.search('x', { filter: (attribute) => attribute('cast.age').atLeast(1) });
  // @ts-expect-error no such attribute
  await movies.search('x', { filter: (attribute) => attribute('agee').atLeast(1) });
  await movies.search('x', {
    filter: [filter`year > ${1970}`, ['seen = true', where('id').is(1)]],
  });
  // @ts-expect-error an object is no value
  filter`year > ${{ value: 1 }}`;
}

export async function writing(db: Serval): Promise<void> {
  const movies = db.index<Movie>('movies');

  await movies.addDocuments([], { primaryKey: 'id' });
  // @ts-expect-error no such attribute
  await movies.addDocuments([], { primaryKey: 'uid' });
  // @ts-expect-error no document of the type
  await movies.addDocuments([{ id: 1 }]);
  await movies.updateDocuments([{ id: 1 }]);

  await movies.updateSettings({
    filterableAttributes: ['genres', '_geo', '_geojson', { attributePatterns: ['c*', 'year'] }],
    sortableAttributes: ['year', '_geo'],
    rankingRules: ['words', 'year:desc'],
    typoTolerance: { minWordSizeForTypos: { oneTypo: 4 } },
    stopWords: null,
  });
  // @ts-expect-error no such attribute
  await movies.updateSettings({ sortableAttributes: ['yaer'] });
  // @ts-expect-error no such setting
  await movies.updateSettings({ stopwords: ['the'] });
  // @ts-expect-error no such rule
  await movies.updateSettings({ rankingRules: ['wordz'] });
  isSame<Awaited<ReturnType<typeof movies.settings>>, Settings<Movie>>(true);
  await movies.updateSettings(await movies.settings());

  await movies.editDocuments('doc.year += 1', {
    filter: (where) => where('year').is(1),
    context: {},
  });
  // @ts-expect-error no such attribute
  await movies.editDocuments('doc.year += 1', { filter: (where) => where('yaer').is(1) });

  const { results } = await db.multiSearch([movies.query('a'), { indexUid: 'books', q: 'b' }]);
  isSame<(typeof results)[0], SearchResponse<Movie> & { indexUid: string }>(true);
  const [first] = (await db.federatedSearch([movies.query('a')], { limit: 3 })).hits;
  isSame<NonNullable<typeof first>['title'], string>(true);
  // @ts-expect-error no such attribute
  movies.query('a', { sort: ['yaer:asc'] });

  const anything = db.index('anything');
  await anything.search('x', { sort: ['whatever:asc'], facets: ['some.thing'] });
  anything.where('whatever').is(1);

  await db.features.set({ metrics: true, containsFilter: null });
  // @ts-expect-error no such feature
  await db.features.set({ metric: true });
  isSame<ReturnType<typeof db.features.all>['metrics'], boolean>(true);
  await db.tasks.list({ statuses: ['enqueued'], types: ['indexSwap'], uids: [1] });
  // @ts-expect-error no such status
  await db.tasks.list({ statuses: ['waiting'] });
  // @ts-expect-error no such type
  await db.tasks.cancel({ types: ['swap'] });
  await db.apiKeys('master').create({ actions: ['search'], indexes: ['*'], expiresAt: null });
  // @ts-expect-error no such action
  await db.apiKeys('m').create({ actions: ['fly'], indexes: ['*'], expiresAt: null });

  const task = await movies.addDocuments([]);
  isSame<Awaited<ReturnType<typeof task.wait>>, Task>(true);
  isSame<NonNullable<Task['details']>['indexedDocuments'], number | null | undefined>(true);
  try {
    await Serval.open('./data.sv', { signal: AbortSignal.timeout(1000) });
  } catch (error) {
    if (error instanceof ServalError && error.code === 'invalid_state') return;
    // @ts-expect-error no such code
    if (error instanceof ServalError && error.code === 'no_such_code') return;
  }
}
