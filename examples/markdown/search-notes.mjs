#!/usr/bin/env node
// Searches a folder of Markdown: every section is a document.
//
//   node search-notes.mjs ~/notes some words

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Serval } from 'serval';

const [folder, ...words] = process.argv.slice(2);
if (folder === undefined || words.length === 0) {
  console.error('usage: search-notes FOLDER WORDS...');
  process.exit(2);
}

/** The sections of every Markdown file below a folder, one after another. */
async function* sections(root) {
  const names = await readdir(root, { recursive: true });
  for (const file of names.filter((name) => name.endsWith('.md')).sort()) {
    const parts = (await readFile(join(root, file), 'utf8')).split(/^(?=#{1,6} )/m);
    for (const [place, text] of parts.entries()) {
      const heading = /^#{1,6} +(.*)/.exec(text)?.[1] ?? '';
      const id = createHash('sha256').update(`${file}\0${place}`).digest('hex').slice(0, 32);
      if (text.trim() !== '') yield { id, file, heading, text };
    }
  }
}

// Notes are read anew each time, so nothing needs to last.
const db = await Serval.memory();
const notes = db.index('notes');
await notes.updateSettings({ searchableAttributes: ['heading', 'text'] });
await (await notes.addDocuments(sections(folder))).wait();

const { hits } = await notes.search(words.join(' '), {
  attributesToCrop: ['text'],
  cropLength: 12,
  limit: 5,
});
for (const { file, heading, _formatted } of hits) {
  console.log(`${file}: ${heading}\n    ${_formatted.text.replaceAll(/\s+/g, ' ').trim()}`);
}
await db.close();
