// Builds the web page: one script, one stylesheet and the icon under names that carry a hash of their content, so that
// browsers may keep them for ever, and the document that names them.
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
    input: { page: inRoot('page', 'main.tsx') },
    platform: 'browser',
    tsconfig: inRoot('page', 'tsconfig.json'),
  });
  const { output } = await build.write({
    dir: inRoot(folder),
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
  });
  await build.close();
  const [script] = output;
  const style = readFileSync(inRoot('page', 'style.css'), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const html = readFileSync(inRoot('page', 'index.html'), 'utf8')
    .replace('page.js', script.fileName)
    .replace('style.css', writeHashed(folder, 'style', 'css', style))
    .replace(
      'icon.svg',
      writeHashed(folder, 'icon', 'svg', readFileSync(inRoot('page', 'icon.svg'), 'utf8')),
    );
  writeFileSync(inRoot(folder, 'index.html'), html);
  return script.moduleIds;
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
