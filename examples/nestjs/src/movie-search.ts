import { type Index, type SearchResponse, Serval } from 'serval';

export interface Movie {
  id: number;
  title: string;
  year: number;
}

/** The index of the application; Nest closes it with the application. */
export class MovieSearch {
  private readonly db: Serval;
  private readonly movies: Index<Movie>;

  private constructor(db: Serval) {
    this.db = db;
    this.movies = db.index('movies');
  }

  static async open(path: string): Promise<MovieSearch> {
    const db = await Serval.open(path);
    // Makes the index, so that it can be searched before the first film is there.
    const task = await db.index<Movie>('movies').updateSettings({ searchableAttributes: ['title'] });
    await task.wait();
    return new MovieSearch(db);
  }

  async add(movies: AsyncIterable<Movie> | Iterable<Movie>): Promise<void> {
    await (await this.movies.addDocuments(movies)).wait();
  }

  search(q: string): Promise<SearchResponse<Movie>> {
    return this.movies.search(q, { attributesToHighlight: ['title'] });
  }

  onModuleDestroy(): Promise<void> {
    return this.db.close();
  }
}
