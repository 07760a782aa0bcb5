import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from '../../scripts/paths.mjs';

/** A block of code of a page. */
export interface Block {
  /** File and line, for messages. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
  /** What the comment before it says: `not run: why`, `refused: code`. */
  readonly mark: string | undefined;
  /** The answer that the page shows for it: a block of JSON right behind it. */
  readonly answer: string | undefined;
}

const BLOCK = /(?:^<!-- (.+) -->\n)?^```(\w+)\n([\s\S]*?)^```\n(?:```json\n([\s\S]*?)^```\n)?/gm;

/** Every Markdown file of the repository that people read, by its path in it. */
export function markdownFiles(): string[] {
  const folders = ['.', 'docs', 'docs/adr', 'docs/formats', 'examples', 'demo', 'packaging'];
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(inRoot(folder));
  } catch {
    return [];
  }
}

/** The blocks of a page, in order. */
export function blocksOf(path: string): Block[] {
  const text = readFileSync(inRoot(path), 'utf8');
  return [...text.matchAll(BLOCK)].map(
    ({ 1: mark, 2: language = '', 3: code = '', 4: answer, index }) => ({
      place: `${path}:${text.slice(0, index).split('\n').length}`,
      language,
      code,
      mark,
      answer,
    }),
  );
}

/** The commands of a block that call a server, one by one. */
export function requestsOf({ code }: Block): string[] {
  return code.split(/\n(?=curl )/).filter((command) => /\bcurl /.test(command));
}
