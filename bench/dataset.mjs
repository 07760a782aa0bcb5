// A dataset is an NDJSON file, plain or gzipped, with the settings it is indexed with. Lines are passed on unparsed,
// so that reading them costs the harness little next to the server.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const MOVIES = join(here, '..', 'demo', 'movies.ndjson.gz');

/**
 * @typedef {{searchableAttributes?: string[], filterableAttributes?: string[], sortableAttributes?: string[]}} Settings
 *
 * @typedef {object} Dataset
 * @property {string} name also the uid of its index
 * @property {string} file
 * @property {Settings} settings
 */

/**
 * `movies` is the demo data; anything else is a path. Settings come from the given file, or from
 * bench/settings/<name>.json when there is one.
 * @param {string} nameOrPath
 * @param {string} [settingsFile]
 * @returns {Dataset}
 */
export function openDataset(nameOrPath, settingsFile) {
  const file = nameOrPath === 'movies' ? MOVIES : nameOrPath;
  if (!existsSync(file)) throw new Error(`no such dataset: ${nameOrPath}`);
  const name = basename(file).replace(/\.(ndjson|jsonl)(\.gz)?$/, '');
  const known = settingsFile ?? join(here, 'settings', `${name}.json`);
  if (settingsFile !== undefined && !existsSync(known)) throw new Error(`no such file: ${known}`);
  const settings = existsSync(known) ? JSON.parse(readFileSync(known, 'utf8')) : {};
  return { name: name.replace(/[^\w-]/g, '-'), file, settings };
}

/**
 * The lines of a dataset, up to a limit.
 * @param {Dataset} dataset
 * @param {number} [limit]
 */
export async function* lines(dataset, limit = Number.POSITIVE_INFINITY) {
  const bytes = createReadStream(dataset.file, { highWaterMark: 1 << 20 });
  const input = dataset.file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  let seen = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line === '') continue;
    if (seen >= limit) break;
    seen += 1;
    yield line;
  }
  bytes.destroy();
}

/**
 * Request bodies of at most `size` documents and about `maxBytes` bytes.
 * @param {Dataset} dataset
 * @param {{size: number, maxBytes: number, limit?: number}} options
 * @returns {AsyncGenerator<{body: Buffer, documents: number}>}
 */
export async function* batches(dataset, { size, maxBytes, limit }) {
  /** @type {string[]} */
  let held = [];
  let bytes = 0;
  const flush = () => {
    const batch = { body: Buffer.from(`${held.join('\n')}\n`), documents: held.length };
    held = [];
    bytes = 0;
    return batch;
  };
  for await (const line of lines(dataset, limit)) {
    const length = Buffer.byteLength(line) + 1;
    if (held.length > 0 && (held.length >= size || bytes + length > maxBytes)) yield flush();
    held.push(line);
    bytes += length;
  }
  if (held.length > 0) yield flush();
}
