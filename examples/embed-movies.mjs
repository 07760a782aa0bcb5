// Embeds movies through a local server that speaks ollama's protocol, and searches them by vectors.
//
//   npm run build && node examples/embed-movies.mjs [number of movies]
//
// With a real ollama, leave the server out and use its address and the name of a model.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Serval } from 'serval';

const DIMENSIONS = 64;
const count = Number(process.argv[2] ?? 500);

/** A very small model: each word, and each part of three letters, adds to one of the numbers. */
function vectorOf(text) {
  const vector = new Array(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    for (let at = 0; at + 3 <= word.length; at += 1) {
      let hash = 7;
      for (const letter of word.slice(at, at + 3)) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
      vector[hash % DIMENSIONS] += 1;
    }
  }
  return vector;
}

const model = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { input } = JSON.parse(Buffer.concat(chunks).toString());
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ embeddings: input.map(vectorOf) }));
});
model.listen(0, '127.0.0.1');
await once(model, 'listening');

const movies = gunzipSync(readFileSync(new URL('../demo/movies.ndjson.gz', import.meta.url)))
  .toString()
  .split('\n')
  .slice(0, count)
  .map((line) => JSON.parse(line));
const folder = mkdtempSync(join(tmpdir(), 'serval-example-'));
const serval = await Serval.open(join(folder, 'data.sv'));
try {
  const index = serval.index('movies');
  const local = {
    source: 'ollama',
    model: 'letters',
    url: `http://127.0.0.1:${model.address().port}/api/embed`,
    documentTemplate: '{{doc.title}}: {{doc.overview}}',
  };
  await (await index.updateSettings({ embedders: { local } })).wait();
  const { status, error } = await (await index.addDocuments(movies)).wait();
  console.log(`${movies.length} movies: ${status}`, error ?? '');
  const hybrid = { embedder: 'local', semanticRatio: 1 };
  const { hits } = await index.search('a journey to outer space', { hybrid, limit: 5 });
  for (const { title } of hits) console.log(`- ${title}`);
} finally {
  await serval.close();
  model.close();
  rmSync(folder, { recursive: true });
}
