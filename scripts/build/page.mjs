// Builds the web page and the explorer of the HTTP interface: their scripts, one stylesheet and the icon under names that
// carry a hash of their content, so that browsers may keep them for ever, and the documents that name them.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { inRoot } from '../paths.mjs';

const HASH_LENGTH = 10;

/**
 * Writes the page to `folder`.
 * @param {string} folder relative to the repository
 * @returns {Promise<string[]>} paths of the modules inside
 */
export async function writePage(folder) {
  mkdirSync(inRoot(folder), { recursive: true });
  const build = await rolldown({
    input: {
      page: inRoot('page', 'main.tsx'),
      explorer: inRoot('page', 'explorer', 'explorer.tsx'),
    },
    platform: 'browser',
    tsconfig: inRoot('page', 'tsconfig.json'),
  });
  const { output } = await build.write({
    dir: inRoot(folder),
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await build.close();
  const style = readFileSync(inRoot('page', 'style.css'), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const icon = readFileSync(inRoot('page', 'icon.svg'), 'utf8');
  const names = new Map([
    ['style.css', writeHashed(folder, 'style', 'css', style)],
    ['icon.svg', writeHashed(folder, 'icon', 'svg', icon)],
  ]);
  for (const { name, fileName } of output) names.set(`${name}.js`, fileName);
  for (const file of ['index.html', 'docs.html']) {
    const html = readFileSync(inRoot('page', file), 'utf8');
    const named = html.replace(/(?<="\/page\/)[^"]+/g, (name) => names.get(name) ?? name);
    writeFileSync(inRoot(folder, file), named);
  }
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} ending
 * @param {string} content
 * @returns {string} the name it was given
 */
function writeHashed(folder, name, ending, content) {
  const hash = createHash('sha256').update(content).digest('base64url').replace(/[-_]/g, 'x');
  const file = `${name}-${hash.slice(0, HASH_LENGTH)}.${ending}`;
  writeFileSync(inRoot(folder, file), content);
  return file;
}
