// A fixed sample of a dataset and what queries are made from: its words by frequency, its texts, its facet values.
import { lines } from './dataset.mjs';
import { Random } from './random.mjs';

const SAMPLE_SIZE = 20_000;
const RARE_AT_MOST = 4;
const COMMON = 300;
const WORD = /[\p{L}\p{N}]+/gu;
const LINK = /^\w+:\/\//;

/**
 * @typedef {Record<string, unknown>} Document
 *
 * @typedef {object} SampledText the words of one document's texts
 * @property {string[][]} texts words of one text each, in order
 * @property {number} nWords in all of them
 *
 * @typedef {object} Sample
 * @property {SampledText[]} documents those with at least two words
 * @property {string[]} common words of many documents, most frequent first
 * @property {string[]} rare words of few documents
 * @property {Map<string, (string | number | boolean)[]>} values of the filterable attributes
 */

/**
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {number} seed
 * @param {number} [limit] documents of the dataset that are used at all
 * @returns {Promise<Sample>}
 */
export async function sampleDataset(dataset, seed, limit) {
  const documents = await reservoir(lines(dataset, limit), seed);
  const frequencies = documentFrequencies(documents, dataset.settings);
  const byFrequency = [...frequencies].sort(
    ([wordA, a], [wordB, b]) => b - a || (wordA < wordB ? -1 : 1),
  );
  const long = byFrequency.filter(([word]) => word.length > 2);
  return {
    documents: documents
      .map((document) => textsOf(document, dataset.settings))
      .map((texts) => ({ texts, nWords: texts.flat().length }))
      .filter(({ nWords }) => nWords > 1),
    common: long.slice(0, COMMON).map(([word]) => word),
    rare: long.filter(([, count]) => count <= RARE_AT_MOST).map(([word]) => word),
    values: facetValues(documents, dataset.settings.filterableAttributes ?? []),
  };
}

/**
 * An even sample of all lines, the same in each run.
 * @param {AsyncIterable<string>} source
 * @param {number} seed
 */
async function reservoir(source, seed) {
  const random = new Random(seed);
  /** @type {string[]} */
  const kept = [];
  let seen = 0;
  for await (const line of source) {
    seen += 1;
    const place = seen <= SAMPLE_SIZE ? seen - 1 : random.between(0, seen - 1);
    if (place < SAMPLE_SIZE) kept[place] = line;
  }
  return kept.map((line) => /** @type {Document} */ (JSON.parse(line)));
}

/**
 * The texts of the searchable attributes, or of all when the settings name none, each as its words.
 * @param {Document} document
 * @param {import('./dataset.mjs').Settings} settings
 */
function textsOf(document, { searchableAttributes }) {
  const values = searchableAttributes
    ? searchableAttributes.map((attribute) => document[attribute])
    : Object.values(document);
  return values.flat().flatMap((value) => {
    const words = typeof value === 'string' && !LINK.test(value) ? value.match(WORD) : null;
    return words ? [[...words]] : [];
  });
}

/**
 * In how many documents each word occurs.
 * @param {Document[]} documents
 * @param {import('./dataset.mjs').Settings} settings
 */
function documentFrequencies(documents, settings) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const document of documents) {
    const words = textsOf(document, settings).flat();
    for (const word of new Set(words.map((text) => text.toLowerCase()))) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * @param {Document[]} documents
 * @param {string[]} attributes
 */
function facetValues(documents, attributes) {
  /** @type {Sample['values']} */
  const values = new Map();
  for (const attribute of attributes) {
    const found = documents
      .flatMap((document) => /** @type {any} */ (document[attribute] ?? []))
      .filter((value) => ['string', 'number', 'boolean'].includes(typeof value));
    if (found.length > 0) values.set(attribute, found);
  }
  return values;
}
