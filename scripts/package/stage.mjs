// Puts the packages together as they are published: `serval`, which names its platform packages, and one platform
// package for each addon in native/. The repository's own package.json names none of them: they do not exist before
// a release, and `npm ci` on a clone must work.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inRoot } from '../paths.mjs';
import { CRATE_LICENCES, crateLicences } from './crate-licences.mjs';

/** What the package does not carry: its users neither build nor test it. */
const DEVELOPMENT = ['scripts', 'devDependencies', 'overrides', 'napi'];
const ALWAYS_PACKED = ['README.md', 'LICENSE'];

/** Names of the platforms that have a package, such as `linux-x64-gnu`. */
export const platforms = () => readdirSync(inRoot('npm')).sort();

/**
 * The package.json of `serval` as it is published.
 * @returns {Record<string, any>}
 */
export function publishedManifest() {
  const manifest = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  for (const field of DEVELOPMENT) delete manifest[field];
  const { name, version } = manifest;
  manifest.optionalDependencies = Object.fromEntries(
    platforms().map((platform) => [`${name}-${platform}`, version]),
  );
  return manifest;
}

/** @typedef {{repository?: string}} StageOptions `repository`: address of the sources, which a provenance has to match */

/**
 * Fills `folder` with a folder for each package and returns their names: the platforms first, so that whoever
 * publishes in this order never offers `serval` without its addon.
 * @param {string} folder
 * @param {StageOptions} [options]
 */
export function stagePackages(folder, options = {}) {
  rmSync(folder, { recursive: true, force: true });
  const licences = crateLicences();
  const staged = platforms().filter((platform) => stagePlatform(platform, folder, licences));
  stageMain(join(folder, 'serval'));
  const names = [...staged, 'serval'];
  if (options.repository !== undefined) {
    const repository = { type: 'git', url: `git+${options.repository}.git` };
    for (const name of names) addField(join(folder, name, 'package.json'), { repository });
  }
  return names;
}

/**
 * Returns whether there is an addon for the platform.
 * @param {string} platform
 * @param {string} folder
 * @param {string} licences of the crates in the addon
 */
function stagePlatform(platform, folder, licences) {
  const addon = inRoot('native', `serval.${platform}.node`);
  if (!existsSync(addon)) return false;
  const target = join(folder, platform);
  mkdirSync(target, { recursive: true });
  for (const name of ['package.json', 'README.md']) {
    cpSync(inRoot('npm', platform, name), join(target, name));
  }
  cpSync(inRoot('LICENSE'), join(target, 'LICENSE'));
  writeFileSync(join(target, CRATE_LICENCES), licences);
  cpSync(addon, join(target, `serval.${platform}.node`));
  return true;
}

/** @param {string} target */
function stageMain(target) {
  if (!existsSync(inRoot('dist', 'cli.js'))) {
    throw new Error('dist/ is not built: run `npm run build` first');
  }
  const manifest = publishedManifest();
  for (const path of [...manifest.files, ...ALWAYS_PACKED]) {
    cpSync(inRoot(path), join(target, path), { recursive: true });
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * @param {string} path of a package.json
 * @param {Record<string, unknown>} fields
 */
function addField(path, fields) {
  const manifest = { ...JSON.parse(readFileSync(path, 'utf8')), ...fields };
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
