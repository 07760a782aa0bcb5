import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The built web page in memory: one document, and the files it asks for by their hashed names. */
export interface PageFiles {
  readonly html: Buffer;
  /** The entity tag of the document. */
  readonly tag: string;
  readonly assets: ReadonlyMap<string, PageAsset>;
}

/** One file of the page. */
export interface PageAsset {
  readonly content: Buffer;
  readonly contentType: string;
}

const DOCUMENT = 'index.html';
const TAG_LENGTH = 16;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the folder of the built page; files of other kinds than a page has are left out. */
export function readPageFiles(folder: string): PageFiles {
  const assets = new Map<string, PageAsset>();
  for (const name of readdirSync(folder)) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    assets.set(name, { content: readFileSync(join(folder, name)), contentType });
  }
  const html = readFileSync(join(folder, DOCUMENT));
  const hash = createHash('sha256').update(html).digest('base64url').slice(0, TAG_LENGTH);
  return { html, tag: `"${hash}"`, assets };
}
