// Writes the documents that are generated from code: docs/errors.md from the table of error codes.
// Needs dist/ to be built; run directly, it builds it first.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildDist } from './build/dist.mjs';
import { inRoot } from './paths.mjs';

/** Each document and the module of dist/ whose `render` returns its text. */
const DOCUMENTS = [{ file: 'docs/errors.md', module: 'dist/errors/errors-document.js' }];

/** Writes every generated document. */
export async function generateDocuments() {
  for (const { file, module } of DOCUMENTS) {
    const { render } = await import(pathToFileURL(inRoot(module)).href);
    mkdirSync(dirname(inRoot(file)), { recursive: true });
    writeFileSync(inRoot(file), render());
  }
}

if (process.argv[1] === inRoot('scripts', 'generate.mjs')) {
  await buildDist();
  await generateDocuments();
}
