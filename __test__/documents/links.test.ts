import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { markdownFiles } from './page-blocks.js';

/** The text of a page without its blocks of code and its code within lines. */
function proseOf(path: string): string {
  const text = readFileSync(inRoot(path), 'utf8');
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '`code`');
}

/** The anchors of a page: what its headings become in an address. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(inRoot(path), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What is wrong with a link of a page; undefined when it leads somewhere. */
function problemOf(page: string, link: string): string | undefined {
  const [target = '', anchor] = link.split('#');
  const path = target === '' ? page : normalize(join(dirname(page), decodeURI(target)));
  if (!existsSync(inRoot(path))) return `${page}: ${link} does not exist`;
  if (anchor === undefined || statSync(inRoot(path)).isDirectory()) return undefined;
  return anchorsOf(path).includes(anchor) ? undefined : `${page}: ${link} has no such heading`;
}

test.each(markdownFiles())(
  'the links of %s lead somewhere, to a heading where they name one',
  (page) => {
    const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => String(link));
    const own = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(own.map((link) => problemOf(page, link)).filter(Boolean)).toEqual([]);
  },
);

test('every page of the documentation is named on its first page', () => {
  const first = readFileSync(inRoot('docs/README.md'), 'utf8');
  const pages = markdownFiles().filter((path) => /^docs\/[^/]+\.md$/.test(path));
  const missing = pages.filter((path) => !first.includes(`(${path.slice('docs/'.length)})`));
  expect(missing).toEqual(['docs/README.md']);
});
