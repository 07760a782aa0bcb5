// Uses each part of the addon that has code for particular processors, and those beside: words of many languages,
// postings, filters, sorting, facets, geo, vectors in full and in bits, a sentence transformer, compressed documents,
// archives. Prints what it found, so that runs on different processors can be compared.
//
//   node scripts/baseline/exercise.mjs FOLDER
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot } from '../paths.mjs';

const DIMENSIONS = 48;
const VECTORS = 1200;
/** The built package; its types are those of its sources. @type {typeof import('../../src/index.js')} */
const { Serval } = await import(pathToFileURL(inRoot('dist', 'index.js')).href);
const MODEL = inRoot('crates/transformer/tests/fixtures/bert');

/** @type {Record<string, unknown>} */
const found = {};
const folder = process.argv[2] ?? '';
cpSync(MODEL, join(folder, 'models/tiny/bert'), { recursive: true });
const db = await Serval.open(folder);

/**
 * @param {string} name
 * @param {string} uid
 * @param {import('../../src/index.js').SearchParameters & {q?: string}} search
 */
async function ask(name, uid, { q, ...parameters }) {
  const { hits, facetDistribution } = await db.index(uid).search(q ?? '', parameters);
  const order = hits.map(({ id }) => id);
  found[name] = facetDistribution === undefined ? order : [order, facetDistribution];
}

/** @param {Promise<{wait(): Promise<unknown>}>} task */
const done = async (task) => (await task).wait();

await words();
await vectors();
await transformer();
await db.dump();
await db.close();
console.log(JSON.stringify(found, null, 1));

async function words() {
  const films = db.index('films');
  await done(
    films.updateSettings({
      filterableAttributes: ['year', 'genres', '_geo'],
      sortableAttributes: ['year', '_geo'],
      synonyms: { movie: ['film'] },
    }),
  );
  const lines = readFileSync(inRoot('__test__/fixtures/movies-500.ndjson'), 'utf8');
  const documents = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const located = documents.map((each, at) => ({ ...each, _geo: { lat: at % 80, lng: at % 170 } }));
  await done(films.addDocuments(located));
  await done(
    films.addDocuments([
      { id: 900_001, title: '東京都の図書館で勉強する' },
      { id: 900_002, title: '我们在北京大学学习中文' },
      { id: 900_003, title: 'ไก่จิกเด็กตายบนปากโอ่ง' },
      { id: 900_004, title: '한국어를 공부하는 학생' },
      { id: 900_005, title: 'Donaudampfschifffahrtsgesellschaft' },
    ]),
  );
  await ask('typo', 'films', { q: 'the godfahter' });
  await ask('frequent words', 'films', { q: 'the of a', limit: 100 });
  await ask('prefix', 'films', { q: 'sta', limit: 50 });
  await ask('phrase', 'films', { q: '"new york"' });
  await ask('facets', 'films', { q: 'love', facets: ['genres', 'year'] });
  await ask('filter', 'films', { filter: 'year >= 1970 AND year < 1999', sort: ['year:desc'] });
  await ask('geo', 'films', { filter: '_geoRadius(10, 10, 900000)', sort: ['_geoPoint(9,9):asc'] });
  for (const q of ['図書館', '北京', 'ไก่', '한국어', 'gesellschaft']) await ask(q, 'films', { q });
}

async function vectors() {
  for (const binaryQuantized of [false, true]) {
    const uid = binaryQuantized ? 'bits' : 'numbers';
    /** @type {import('../../src/index.js').Embedder} */
    const embedder = { source: 'userProvided', dimensions: DIMENSIONS, binaryQuantized };
    await done(db.index(uid).updateSettings({ embedders: { own: embedder } }));
    const next = sequence();
    const vector = () => Array.from({ length: DIMENSIONS }, () => next() - 0.5);
    const documents = Array.from({ length: VECTORS }, (_, id) => ({
      id,
      title: `number ${id % 7}`,
      _vectors: { own: vector() },
    }));
    await done(db.index(uid).addDocuments(documents));
    const hybrid = { embedder: 'own', semanticRatio: 1 };
    await ask(`nearest ${uid}`, uid, { vector: vector(), hybrid, limit: 10 });
    await ask(`hybrid ${uid}`, uid, {
      q: 'number 3',
      vector: vector(),
      hybrid: { ...hybrid, semanticRatio: 0.5 },
    });
  }
}

async function transformer() {
  /** @type {import('../../src/index.js').Embedder} */
  const embedder = {
    source: 'huggingFace',
    model: 'tiny/bert',
    documentTemplate: '{{doc.title}}',
  };
  const texts = JSON.parse(readFileSync(join(MODEL, 'expected.json'), 'utf8'));
  await done(db.index('texts').updateSettings({ embedders: { local: embedder } }));
  const documents = texts.map(
    (/** @type {{text: string}} */ { text }, /** @type {number} */ id) => ({
      id,
      title: text,
    }),
  );
  await done(db.index('texts').addDocuments(documents));
  const hybrid = { embedder: 'local', semanticRatio: 1 };
  await ask('transformer', 'texts', { q: texts[0].text, hybrid, limit: 3 });
}

/** Numbers from 0 to 1 that are the same in every run. */
function sequence() {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
