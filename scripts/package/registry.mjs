// A registry of npm on this machine that knows the packages of this repository only: tarballs are installed from it as
// they will be from the real one, before anything is published. A platform without a tarball is known by its
// package.json, which is all that npm reads where it does not fit.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { inRoot } from '../paths.mjs';
import { platforms, publishedManifest } from './stage.mjs';

/**
 * @typedef {object} Registry
 * @property {string} url
 * @property {string[]} asked paths that were asked for, in order
 * @property {() => void} close
 */

/**
 * Serves the tarballs of a folder on a free port.
 * @param {string} tarballs
 * @returns {Promise<Registry>}
 */
export async function startRegistry(tarballs) {
  const own = platforms().map((name) =>
    JSON.parse(readFileSync(inRoot('npm', name, 'package.json'), 'utf8')),
  );
  const manifests = new Map([publishedManifest(), ...own].map((each) => [each.name, each]));
  /** @type {string[]} */
  const asked = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '/').slice(1));
    asked.push(path);
    const file = join(tarballs, path.replaceAll(/[^\w.-]/g, '_'));
    const manifest = manifests.get(path);
    if (manifest !== undefined) {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(packument(manifest, tarballs, url)));
    } else if (path.endsWith('.tgz') && existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}/`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, asked, close };
}

/**
 * What a registry says of a package: here, one version.
 * @param {{name: string, version: string}} manifest
 * @param {string} tarballs
 * @param {string} url
 */
function packument(manifest, tarballs, url) {
  const { name, version } = manifest;
  const file = `${name}-${version}.tgz`;
  const path = join(tarballs, file);
  const content = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const dist = { tarball: url + file, integrity };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
