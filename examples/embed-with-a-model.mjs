// Embeds movies with a model that runs in this process, and searches them by meaning.
//
//   npm run build && node examples/embed-with-a-model.mjs FOLDER [number of movies]
//
// FOLDER holds a sentence transformer as model hubs have it: config.json, tokenizer.json,
// model.safetensors. Without one, a model of random weights from the tests is used, whose vectors
// mean nothing.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Serval } from 'serval';

const TINY = fileURLToPath(new URL('../crates/transformer/tests/fixtures/bert', import.meta.url));
const model = resolve(process.argv[2] ?? TINY);
const count = Number(process.argv[3] ?? 500);

const movies = gunzipSync(readFileSync(new URL('../demo/movies.ndjson.gz', import.meta.url)))
  .toString()
  .split('\n')
  .slice(0, count)
  .map((line) => JSON.parse(line));
const folder = mkdtempSync(join(tmpdir(), 'serval-example-'));
const serval = await Serval.open(join(folder, 'data.sv'), {
  // Models are read from this folder only.
  embedders: { localModels: { folder: dirname(model) } },
});
try {
  const index = serval.index('movies');
  const local = {
    source: 'huggingFace',
    model: basename(model),
    documentTemplate: '{{doc.title}}: {{doc.overview}}',
  };
  await (await index.updateSettings({ embedders: { local } })).wait();
  const start = performance.now();
  const { status, error } = await (await index.addDocuments(movies)).wait();
  const seconds = (performance.now() - start) / 1000;
  console.log(`${movies.length} movies in ${seconds.toFixed(1)} s: ${status}`, error ?? '');
  const hybrid = { embedder: 'local', semanticRatio: 1 };
  const { hits } = await index.search('a journey to outer space', { hybrid, limit: 5 });
  for (const { title } of hits) console.log(`- ${title}`);
} finally {
  await serval.close();
  rmSync(folder, { recursive: true });
}
