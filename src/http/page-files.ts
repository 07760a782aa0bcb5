import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The built web pages in memory: their documents, and the files these ask for by hashed names. */
export interface PageFiles {
  /** The page at the root. */
  readonly page: PageDocument;
  /** The explorer of the HTTP interface. */
  readonly explorer: PageDocument;
  readonly assets: ReadonlyMap<string, PageAsset>;
}

/** The document of a page. */
export interface PageDocument {
  readonly html: Buffer;
  readonly entityTag: string;
}

/** One file of the page. */
export interface PageAsset {
  readonly content: Buffer;
  readonly contentType: string;
}

const PAGE = 'index.html';
const EXPLORER = 'docs.html';
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
  return { page: readDocument(folder, PAGE), explorer: readDocument(folder, EXPLORER), assets };
}

function readDocument(folder: string, name: string): PageDocument {
  const html = readFileSync(join(folder, name));
  const hash = createHash('sha256').update(html).digest('base64url').slice(0, TAG_LENGTH);
  return { html, entityTag: `"${hash}"` };
}
