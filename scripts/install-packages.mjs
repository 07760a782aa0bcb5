// Installs the tarballs of scripts/pack.mjs into a folder without asking any other registry:
//
//   node scripts/install-packages.mjs TARBALLS FOLDER
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npm } from './package/npm.mjs';
import { startRegistry } from './package/registry.mjs';

/**
 * Returns the paths that npm asked the registry for.
 * @param {string} tarballs absolute
 * @param {string} folder absolute; gets a package.json
 * @param {NodeJS.ProcessEnv} [env]
 */
export async function installPackages(tarballs, folder, env) {
  const registry = await startRegistry(tarballs);
  try {
    mkdirSync(folder, { recursive: true });
    const manifest = { name: 'program', version: '1.0.0', private: true };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--registry', registry.url];
    await npm(['install', 'serval', ...flags], {
      cwd: folder,
      ...(env === undefined ? {} : { env }),
    });
    return registry.asked;
  } finally {
    registry.close();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [tarballs, folder] = process.argv.slice(2);
  if (tarballs === undefined || folder === undefined) {
    console.error('usage: node scripts/install-packages.mjs TARBALLS FOLDER');
    process.exit(2);
  }
  await installPackages(resolve(tarballs), resolve(folder));
}
