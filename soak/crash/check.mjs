// Compares a server with the model of what it acknowledged.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * @typedef {import('../../bench/target.mjs').Target} Target
 * @typedef {import('./operations.mjs').Model} Model
 * @typedef {import('./operations.mjs').ModelIndex} ModelIndex
 */

const PAGE = 1_000;

/** @param {unknown} value keys in order, so that equal values have equal texts */
export function canonical(value) {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/**
 * @param {Target} server
 * @param {string} uid
 */
async function rowsOf(server, uid) {
  const rows = [];
  for (let offset = 0; ; offset += PAGE) {
    const path = `/indexes/${uid}/documents?limit=${PAGE}&offset=${offset}`;
    const { results, total } = await server.call('GET', path);
    rows.push(...results);
    if (offset + PAGE >= total) return rows;
  }
}

/**
 * @param {Target} server
 * @param {string} uid
 * @param {ModelIndex} index
 * @returns {Promise<string[]>}
 */
async function differences(server, uid, index) {
  const found = [];
  const rows = await rowsOf(server, uid);
  const seen = new Set(rows.map(({ id }) => id));
  if (seen.size !== rows.length) found.push(`${uid}: a document is there twice`);
  if (rows.length !== index.rows.size) {
    found.push(`${uid}: ${rows.length} documents instead of ${index.rows.size}`);
  }
  for (const row of rows) {
    const expected = canonical(index.rows.get(row.id));
    if (canonical(row) !== expected) found.push(`${uid}: ${canonical(row)} is not ${expected}`);
  }
  const settings = await server.call('GET', `/indexes/${uid}/settings`);
  const shown = canonical([[...settings.filterableAttributes].sort(), settings.stopWords]);
  const expected = canonical([[...index.filterable].sort(), [...index.stopWords].sort()]);
  if (shown !== expected) found.push(`${uid}: settings ${shown} are not ${expected}`);
  for (const group of index.filterable.includes('group') ? [0, 5, 9] : []) {
    const query = { filter: `group = ${group}`, limit: 0 };
    const { estimatedTotalHits } = await server.call('POST', `/indexes/${uid}/search`, query);
    const hits = Math.min(
      1_000,
      [...index.rows.values()].filter((row) => row.group === group).length,
    );
    if (Math.min(1_000, estimatedTotalHits) !== hits) {
      found.push(`${uid}: ${estimatedTotalHits} documents of group ${group} instead of ${hits}`);
    }
  }
  return found;
}

/**
 * What of the indexes is not as the model says; at most a few of each.
 * @param {Target} server
 * @param {Model} model
 */
export async function compareIndexes(server, model) {
  const { results } = await server.call('GET', '/indexes?limit=100');
  const shown = canonical(results.map((/** @type {{uid: string}} */ { uid }) => uid).sort());
  const expected = canonical([...model.keys()].sort());
  if (shown !== expected) return [`indexes ${shown} are not ${expected}`];
  const found = [];
  for (const [uid, index] of model)
    found.push(...(await differences(server, uid, index)).slice(0, 3));
  return found;
}

/** What a data folder holds while no server runs on it; the log of the database may stay, and is bounded. */
const DATABASE = ['server.sqlite', 'server.sqlite-shm', 'server.sqlite-wal'];
const KEPT = new Set(['LOCK', 'VERSION', 'indexes', 'payloads', ...DATABASE]);

/**
 * Files of writes that should be gone once nothing waits any more, also while the server runs.
 * @param {string} folder the data folder
 */
export function waitingFiles(folder) {
  const found = readdirSync(join(folder, 'payloads')).map((name) => `payloads/${name}`);
  for (const backups of ['dumps', 'snapshots']) {
    const path = join(dirname(folder), backups);
    const names = existsSync(path) ? readdirSync(path) : [];
    found.push(
      ...names.filter((name) => name.endsWith('.part')).map((name) => `${backups}/${name}`),
    );
  }
  return found;
}

/**
 * Files that should not be there once nothing waits any more and the server has stopped.
 * @param {string} folder the data folder
 * @param {number} nIndexes
 */
export function leftOver(folder, nIndexes) {
  const entries = (/** @type {string} */ path) => readdirSync(join(folder, path));
  const found = waitingFiles(folder);
  found.push(...entries('.').filter((name) => !KEPT.has(name)));
  const indexes = entries('indexes');
  if (indexes.length !== nIndexes) found.push(`${indexes.length} folders of ${nIndexes} indexes`);
  for (const index of indexes) {
    const names = entries(join('indexes', index));
    const generations = names.filter((name) => /^\d{6}$/.test(name));
    if (generations.length !== 1) found.push(`indexes/${index}: ${generations.length} generations`);
    found.push(...strangers(join(folder, 'indexes', index)));
    found.push(...names.filter((name) => name.endsWith('.new')).map((name) => `${index}/${name}`));
  }
  return found;
}

/**
 * Files of segments in an index that its commit does not name.
 * @param {string} index its folder
 */
function strangers(index) {
  const generation = join(index, readFileSync(join(index, 'CURRENT'), 'utf8').trim());
  const commit = readFileSync(join(generation, 'meta.json'), 'utf8');
  const [json = ''] = commit.split('\n#crc32:');
  const ids = JSON.parse(json).segments.map(
    (/** @type {{segment_id: string}} */ { segment_id: id }) => id.replaceAll('-', ''),
  );
  return readdirSync(generation)
    .filter((name) => /^[0-9a-f]{32}\./.test(name) && !ids.includes(name.slice(0, 32)))
    .map((name) => `${generation}/${name}`);
}
