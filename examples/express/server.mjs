// A search route in an Express application: the engine runs inside of the process.
//
//   npm install && npm start
//   curl 'http://127.0.0.1:3000/search?q=godfahter&genre=Drama'

import express from 'express';
import { Serval, ServalError } from 'serval';

const db = await Serval.open(process.env.DATA ?? './data.sv');
const movies = db.index('movies');

await movies.updateSettings({ filterableAttributes: ['genres'] });
const added = await movies.addDocuments([
  { id: 1, title: 'The Godfather', genres: ['Crime', 'Drama'] },
  { id: 2, title: 'The Gold Rush', genres: ['Comedy'] },
]);
await added.wait();

const app = express();

app.get('/search', async (request, response) => {
  const { q = '', genre } = request.query;
  // What people type is quoted by the builder, so it cannot change the filter.
  const filter = genre === undefined ? undefined : movies.where('genres').is(String(genre));
  response.json(await movies.search(String(q), { filter, limit: 10 }));
});

app.use((error, _request, response, next) => {
  if (!(error instanceof ServalError)) return next(error);
  return response.status(error.status).json({ code: error.code, message: error.message });
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/search?q=godfahter`);
});

process.once('SIGTERM', () => server.close(() => db.close()));
