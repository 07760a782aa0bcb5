// Writes what a release leaves on disk, for the tests of all releases after it: a data folder with tasks that wait, a
// snapshot and a dump of a server, a data folder of a program, and what was answered over them. `npm run fixtures`,
// after a build; the folder is named for the version in package.json. Those of earlier releases are never written again.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inRoot } from './paths.mjs';
import { startServer } from './server-process.mjs';

const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
const TARGET = inRoot('__test__', 'fixtures', 'releases', version);
const MASTER_KEY = 'masterKeyOfTheTests';
const N_FILMS = 40;

/** Every film of the fixtures but for the first ones would only make the folder large. */
const films = readFileSync(inRoot('__test__/fixtures/movies-500.ndjson'), 'utf8')
  .split('\n')
  .slice(0, N_FILMS)
  .map((line) => JSON.parse(line));

const places = [
  { id: 'paris', name: 'Paris', _geo: { lat: 48.85, lng: 2.35 }, _vectors: { own: [1, 0, 0] } },
  { id: 'lyon', name: 'Lyon', _geo: { lat: 45.76, lng: 4.83 }, _vectors: { own: [0, 1, 0] } },
  { id: 'oslo', name: 'Oslo', _geo: { lat: 59.91, lng: 10.75 }, _vectors: { own: [0, 0, 1] } },
  { id: 'rome', name: 'Rome', tags: ['old', 1, true, null], _vectors: { own: null } },
];

/** Writes that a server carries out, one after the other. */
const WRITES = [
  [
    'PATCH',
    '/experimental-features',
    { containsFilter: true, network: true, chatCompletions: true },
  ],
  ['POST', '/indexes', { uid: 'films', primaryKey: 'id' }],
  [
    'PATCH',
    '/indexes/films/settings',
    {
      filterableAttributes: ['genres', 'release_date', 'seen'],
      sortableAttributes: ['release_date', 'title'],
      searchableAttributes: ['title', 'overview'],
      stopWords: ['the', 'a'],
      synonyms: { movie: ['film'] },
      rankingRules: ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness', 'title:asc'],
      typoTolerance: { disableOnAttributes: ['overview'] },
    },
  ],
  ['POST', '/indexes/films/documents', films],
  ['PUT', '/indexes/films/documents', films.slice(0, 3).map(({ id }) => ({ id, seen: true }))],
  ['POST', '/indexes/films/documents/delete-batch', films.slice(5, 8).map(({ id }) => id)],
  [
    'PATCH',
    '/indexes/places/settings',
    {
      filterableAttributes: ['_geo', 'tags', 'name'],
      sortableAttributes: ['_geo'],
      embedders: { own: { source: 'userProvided', dimensions: 3 } },
    },
  ],
  ['POST', '/indexes/places/documents', places],
  ['DELETE', '/indexes/nobody'],
  ['POST', '/swap-indexes', [{ indexes: ['places', 'films'] }]],
  ['POST', '/swap-indexes', [{ indexes: ['places', 'films'] }]],
  [
    'POST',
    '/keys',
    {
      uid: '6062abda-a5aa-4414-ac91-ecd7944c0f8d',
      name: 'reader',
      actions: ['search', 'documents.get'],
      indexes: ['fil*'],
      expiresAt: '2999-01-01T00:00:00Z',
    },
  ],
  ['POST', '/webhooks', { url: 'http://127.0.0.1:1/hook', headers: { 'x-kind': 'test' } }],
  ['PATCH', '/network', { remotes: { other: { url: 'http://127.0.0.1:2', searchApiKey: 'k' } } }],
  ['PATCH', '/chats/help/settings', { source: 'openAi', apiKey: 'sk-secret-of-the-chats' }],
];

/** Requests whose answers no later version may change, but for members that are new. */
const QUESTIONS = [
  ['POST', '/indexes/films/search', { q: 'war', showRankingScore: true, limit: 40 }],
  ['POST', '/indexes/films/search', { q: 'movei abuot', attributesToHighlight: ['*'] }],
  [
    'POST',
    '/indexes/films/search',
    { filter: 'seen = true OR release_date > 900000000', facets: ['genres'], sort: ['title:asc'] },
  ],
  ['POST', '/indexes/places/search', { sort: ['_geoPoint(48, 2):asc'], filter: 'name EXISTS' }],
  [
    'POST',
    '/indexes/places/search',
    { vector: [0.9, 0.1, 0], hybrid: { embedder: 'own' }, retrieveVectors: true },
  ],
  ['GET', '/indexes/films'],
  ['GET', '/indexes/places'],
  ['GET', '/indexes/films/settings'],
  ['GET', '/indexes/places/settings'],
  ['GET', '/indexes/films/documents?limit=100'],
  ['GET', '/indexes/places/documents?limit=100&retrieveVectors=true'],
  ['GET', '/keys'],
  ['GET', '/experimental-features'],
  ['GET', '/webhooks'],
  ['GET', '/network'],
  ['GET', '/chats/help/settings'],
];

/**
 * @param {string} url
 * @param {unknown[]} request method, path and body
 */
async function ask(url, [method, path, body]) {
  const response = await fetch(`${url}${path}`, {
    method: String(method),
    headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text === '' ? 'null' : text);
}

/**
 * Sends a write, and waits for its task when it has one.
 * @param {string} url
 * @param {unknown[]} request
 */
async function write(url, request) {
  const { taskUid } = await ask(url, request);
  if (taskUid === undefined) return undefined;
  for (;;) {
    const task = await ask(url, ['GET', `/tasks/${taskUid}`]);
    if (!['enqueued', 'processing'].includes(task.status)) return task;
    await delay(20);
  }
}

/** A server that is filled, asked, backed up and left with tasks that wait. */
async function writeServer() {
  const first = await startServer({ masterKey: MASTER_KEY });
  const { folder, url } = first;
  for (const request of WRITES) {
    const task = await write(url, request);
    const isMeantTo = request[1] === '/indexes/nobody';
    if (task?.status === 'failed' && !isMeantTo) throw new Error(JSON.stringify(task));
  }
  const answers = [];
  for (const request of QUESTIONS) answers.push({ request, answer: await ask(url, request) });
  const tasks = await ask(url, ['GET', '/tasks?limit=1000&reverse=true']);
  const batches = await ask(url, ['GET', '/batches?limit=1000&reverse=true']);
  for (const path of ['/dumps', '/snapshots']) await write(url, ['POST', path]);
  await first.stop();

  // Nothing is carried out any more.
  const args = ['--experimental-max-number-of-batched-tasks', '0'];
  const second = await startServer({ masterKey: MASTER_KEY, folder, args });
  const waiting = [
    ['PUT', '/indexes/waiting/settings/stop-words', ['le']],
    ['POST', '/indexes/waiting/documents', [{ id: 1, title: 'waits' }]],
  ];
  for (const request of waiting) await ask(second.url, request);
  await second.stop();

  cpSync(join(folder, 'data.sv'), join(TARGET, 'server'), { recursive: true });
  const [dump = ''] = readdirSync(join(folder, 'dumps'));
  cpSync(join(folder, 'dumps', dump), join(TARGET, 'server.dump'));
  cpSync(join(folder, 'snapshots', 'data.sv.snapshot'), join(TARGET, 'server.snapshot'));
  rmSync(folder, { recursive: true, force: true });
  return { answers, tasks: tasks.results, batches: batches.results };
}

/** A data folder that a program wrote. */
async function writeEmbedded() {
  const { Serval } = await import(pathToFileURL(inRoot('dist', 'index.js')).href);
  const db = await Serval.open(join(TARGET, 'embedded'));
  const index = db.index('books');
  await (await index.updateSettings({ sortableAttributes: ['year'] })).wait();
  const books = [
    { isbn: '1', title: 'Dune', year: 1965 },
    { isbn: '2', title: 'The Dispossessed', year: 1974 },
    { isbn: '3', title: 'Roadside Picnic', year: 1972 },
  ];
  await (await index.addDocuments(books, { primaryKey: 'isbn' })).wait();
  const { hits } = await index.search('dispossesed', { sort: ['year:asc'] });
  await db.close();
  return { query: 'dispossesed', hits };
}

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
const recorded = { version, ...(await writeServer()), embedded: await writeEmbedded() };
for (const name of ['server', 'embedded']) rmSync(join(TARGET, name, 'LOCK'), { force: true });
writeFileSync(join(TARGET, 'recorded.json'), `${JSON.stringify(recorded, null, 1)}\n`);
