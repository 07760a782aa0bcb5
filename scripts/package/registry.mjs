// A registry of npm on this machine that knows the packages of this repository only: tarballs are installed from it as
// they will be from the real one, before anything is published. A platform without a tarball is known by its
// package.json, which is all that npm reads where it does not fit.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { inRoot } from '../paths.mjs';
import { platforms, publishedManifest } from './stage.mjs';

/**
 * @typedef {object} Registry
 * @property {string} url
 * @property {string[]} asked paths that were asked for, in order
 * @property {string[]} published names of the packages that were published to it, in order
 * @property {() => void} close
 */

/**
 * Starts on a free port. It offers the tarballs of a folder; without one it knows what is published to it.
 * @param {string} [tarballs]
 * @returns {Promise<Registry>}
 */
export async function startRegistry(tarballs) {
  const own = platforms().map((name) =>
    JSON.parse(readFileSync(inRoot('npm', name, 'package.json'), 'utf8')),
  );
  /** @type {Map<string, any>} */
  const known = new Map();
  /** @type {string[]} */
  const asked = [];
  /** @type {string[]} */
  const published = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent((request.url ?? '/').slice(1)).split('?')[0] ?? '';
    asked.push(path);
    const file = join(tarballs ?? '', path.replaceAll(/[^\w.-]/g, '_'));
    if (request.method === 'PUT') {
      known.set(path, await json(request));
      published.push(path);
      response.writeHead(201).end('{}');
    } else if (known.has(path)) {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(known.get(path)));
    } else if (tarballs !== undefined && path.endsWith('.tgz') && existsSync(file)) {
      response.end(readFileSync(file));
    } else response.writeHead(404).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}/`;
  if (tarballs !== undefined) {
    for (const manifest of [publishedManifest(), ...own]) {
      known.set(manifest.name, packument(manifest, tarballs, url));
    }
  }
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, asked, published, close };
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
