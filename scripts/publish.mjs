// Publishes tarballs: those of the platforms first, so that `serval` is never there without its addons. What is
// published already is left alone, so a release that failed half way is ended by running this again.
//
//   node scripts/publish.mjs FOLDER [--without-provenance]
//
// The registry and the token are npm's own configuration.
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { npm } from './package/npm.mjs';
import { platforms } from './package/stage.mjs';

/**
 * Returns the names of the tarballs that were published, in order.
 * @param {string} folder
 * @param {{withProvenance: boolean, flags?: string[]}} options `flags` of each npm that is run
 */
export async function publishAll(folder, { withProvenance, flags = [] }) {
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const isOfPlatform = (/** @type {string} */ file) =>
    platforms().some((platform) => file.includes(`-${platform}-`));
  const inOrder = [
    ...tarballs.filter(isOfPlatform).sort(),
    ...tarballs.filter((file) => !isOfPlatform(file)),
  ];
  const published = [];
  for (const file of inOrder) {
    if (await isPublished(file, { cwd: folder, flags })) continue;
    const provenance = withProvenance ? ['--provenance'] : [];
    await npm(['publish', `./${file}`, '--access', 'public', ...provenance, ...flags], {
      cwd: folder,
    });
    published.push(file);
  }
  return published;
}

/**
 * @param {string} file such as `serval-linux-x64-gnu-1.2.3.tgz`
 * @param {{cwd: string, flags: string[]}} options
 */
async function isPublished(file, { cwd, flags }) {
  const [, name, version] = /^(.*?)-(\d+\..*)\.tgz$/.exec(file) ?? [];
  const found = await npm(['view', `${name}@${version}`, 'version', ...flags], { cwd }).catch(
    (error) => {
      if (String(error.stderr).includes('E404')) return '';
      throw error;
    },
  );
  return found.trim() === version;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'without-provenance': { type: 'boolean', default: false } },
  });
  const [folder] = positionals;
  if (folder === undefined) {
    console.error('usage: node scripts/publish.mjs FOLDER [--without-provenance]');
    process.exit(2);
  }
  const withProvenance = !values['without-provenance'];
  const published = await publishAll(resolve(folder), { withProvenance });
  console.log(published.length === 0 ? 'nothing to publish' : published.join('\n'));
}
