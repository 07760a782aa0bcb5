// A route handler: GET /api/search?q=godfahter&after=1970. It reads an index that is there, with `year` filterable.
import { Serval, ServalError } from 'serval';

interface Movie {
  id: number;
  title: string;
  year: number;
}

/** The engine needs Node; it does not run at the edge. */
export const runtime = 'nodejs';

/** One instance for the process: development reloads this module again and again. */
const kept = globalThis as { serval?: Promise<Serval> };

function open(): Promise<Serval> {
  const opened = kept.serval ?? Serval.open(process.env.DATA ?? './data.sv');
  kept.serval = opened;
  return opened;
}

export async function GET(request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const after = Number(searchParams.get('after') ?? 0);
  const movies = (await open()).index<Movie>('movies');
  try {
    const found = await movies.search(searchParams.get('q'), {
      filter: (where) => where('year').greaterThan(after),
      attributesToRetrieve: ['title', 'year'],
      signal: request.signal,
    });
    return Response.json(found.hits);
  } catch (error) {
    if (!(error instanceof ServalError)) throw error;
    return Response.json({ code: error.code, message: error.message }, { status: error.status });
  }
}
