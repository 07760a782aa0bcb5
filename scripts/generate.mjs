// Writes the documents that are generated from code: docs/errors.md from the table of error codes, docs/options.md from
// that of launch options.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { importSource } from './build/import-source.mjs';
import { inRoot } from './paths.mjs';

/** Each document and the module whose `render` returns its text. */
const DOCUMENTS = [
  { file: 'docs/errors.md', module: 'src/errors/errors-document.ts' },
  { file: 'docs/options.md', module: 'src/config/options-document.ts' },
];

/** Writes every generated document. */
export async function generateDocuments() {
  for (const { file, module } of DOCUMENTS) {
    const { render } = await importSource(module);
    mkdirSync(dirname(inRoot(file)), { recursive: true });
    writeFileSync(inRoot(file), render());
  }
}

if (process.argv[1] === inRoot('scripts', 'generate.mjs')) await generateDocuments();
