import { existsSync, readFileSync } from 'node:fs';

/** The name shown to people. */
export const PRODUCT_NAME = 'Serval';

/** The version of the package. */
export const PRODUCT_VERSION: string = versionAbove(new URL('.', import.meta.url));

/**
 * The version in the nearest package.json that has one: sources and the bundles made of them stand
 * at different depths, and the folder of the bundle for `require` has a manifest of its own.
 */
function versionAbove(folder: URL): string {
  const manifest = new URL('package.json', folder);
  const { version } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {};
  if (typeof version === 'string') return version;
  const above = new URL('..', folder);
  if (above.href === folder.href) throw new Error('the package.json of serval is missing');
  return versionAbove(above);
}
