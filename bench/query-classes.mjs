// Query classes: kinds of searches that cost an engine in different places, made from a sample of the data by a fixed
// seed. Each class is a list of search bodies; a class that the dataset's settings do not allow is left out.
import { Random } from './random.mjs';

const QUERIES_PER_CLASS = 200;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const CONSONANTS = 'bcdfghjklmnpqrstvwxz';

/**
 * @typedef {import('./sample.mjs').Sample} Sample
 * @typedef {import('./dataset.mjs').Settings} Settings
 * @typedef {Record<string, unknown>} SearchBody
 *
 * @typedef {object} Source what a class draws from
 * @property {Sample} sample
 * @property {Settings} settings
 * @property {Random} random
 *
 * @typedef {object} QueryClass
 * @property {string} name
 * @property {(source: Source) => SearchBody} make
 * @property {(source: Source) => boolean} [fits]
 */

/** @type {QueryClass[]} */
const CLASSES = [
  { name: 'word-common', make: ({ sample, random }) => ({ q: random.pick(sample.common) }) },
  {
    name: 'word-rare',
    make: ({ sample, random }) => ({ q: random.pick(sample.rare) }),
    fits: ({ sample }) => sample.rare.length > 0,
  },
  { name: 'words-2-3', make: (source) => ({ q: run(source, 2, 3) }) },
  { name: 'words-long', make: (source) => ({ q: run(source, 6, 10) }) },
  {
    name: 'words-all',
    make: (source) => ({ q: scattered(source, 2, 4), matchingStrategy: 'all' }),
  },
  { name: 'prefix', make: (source) => ({ q: cut(word(source, 4), source.random) }) },
  { name: 'typo-1', make: (source) => ({ q: misspell(word(source, 5), source.random) }) },
  {
    name: 'typo-2',
    make: (source) => ({ q: misspell(misspell(word(source, 9), source.random), source.random) }),
  },
  { name: 'phrase', make: (source) => ({ q: `"${run(source, 2, 4)}"` }) },
  {
    name: 'no-result',
    make: ({ random }) => ({
      q: Array.from({ length: random.between(9, 13) }, () => random.pick([...CONSONANTS])).join(''),
    }),
  },
  {
    name: 'highlight',
    make: (source) => ({
      q: run(source, 1, 3),
      attributesToHighlight: ['*'],
      attributesToCrop: ['*'],
      cropLength: 12,
      showMatchesPosition: true,
    }),
  },
  { name: 'placeholder', make: ({ random }) => ({ q: '', offset: random.between(0, 20) * 20 }) },
  {
    name: 'placeholder-facets',
    make: (source) => ({ q: '', facets: someAttributes(source) }),
    fits: isFilterable,
  },
  {
    name: 'word-facets',
    make: (source) => ({ q: word(source, 3), facets: someAttributes(source) }),
    fits: isFilterable,
  },
  {
    name: 'word-filter',
    make: (source) => ({ q: word(source, 3), filter: filterOf(source) }),
    fits: isFilterable,
  },
  {
    name: 'sort',
    make: (source) => ({
      q: source.random.next() < 0.5 ? '' : word(source, 3),
      sort: [`${source.random.pick(sortable(source))}:${source.random.pick(['asc', 'desc'])}`],
    }),
    fits: (source) => sortable(source).length > 0,
  },
];

/**
 * The classes that fit the dataset, each with its queries.
 * @param {Sample} sample
 * @param {Settings} settings
 * @param {number} seed
 * @param {string[]} [wanted] names; all when left out
 * @returns {{name: string, queries: SearchBody[]}[]}
 */
export function makeQueries(sample, settings, seed, wanted) {
  return CLASSES.flatMap(({ name, make, fits }, place) => {
    const source = { sample, settings, random: new Random(seed + place) };
    if ((wanted && !wanted.includes(name)) || fits?.(source) === false) return [];
    return [{ name, queries: Array.from({ length: QUERIES_PER_CLASS }, () => make(source)) }];
  });
}

/**
 * Attributes that are sorted by their values; places are sorted by a distance instead.
 * @param {Source} source
 */
function sortable({ settings }) {
  return (settings.sortableAttributes ?? []).filter((attribute) => attribute !== '_geo');
}

/** @param {Source} source */
function isFilterable({ sample }) {
  return sample.values.size > 0;
}

/**
 * Consecutive words of one text.
 * @param {Source} source
 * @param {number} fewest
 * @param {number} most
 */
function run({ sample, random }, fewest, most) {
  const length = random.between(fewest, most);
  let text = someText(sample, random);
  for (let attempt = 0; attempt < 50 && text.length < length; attempt += 1) {
    text = someText(sample, random);
  }
  const start = random.between(0, Math.max(0, text.length - length));
  return text.slice(start, start + length).join(' ');
}

/**
 * A text of a document; long texts come more often, as their words do.
 * @param {Sample} sample
 * @param {Random} random
 */
function someText(sample, random) {
  const { texts, nWords } = random.pick(sample.documents);
  let at = random.between(0, nWords - 1);
  for (const words of texts) {
    if (at < words.length) return words;
    at -= words.length;
  }
  return [];
}

/**
 * Different words of one document in any order.
 * @param {Source} source
 * @param {number} fewest
 * @param {number} most
 */
function scattered({ sample, random }, fewest, most) {
  const words = random.pick(sample.documents).texts.flat();
  const picked = Array.from({ length: random.between(fewest, most) }, () => random.pick(words));
  return [...new Set(picked)].join(' ');
}

/**
 * A word of some text, of at least so many letters where one can be found.
 * @param {Source} source
 * @param {number} letters
 */
function word({ sample, random }, letters) {
  let found = '';
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const next = random.pick(someText(sample, random));
    if (next.length > found.length) found = next;
    if (next.length >= letters) return next.toLowerCase();
  }
  return found.toLowerCase();
}

/**
 * The beginning of a word, as it is while someone types.
 * @param {string} text
 * @param {Random} random
 */
function cut(text, random) {
  const letters = [...text];
  return letters.slice(0, random.between(1, Math.max(1, letters.length - 1))).join('');
}

/**
 * One edit after the first letter: a letter changed, left out, put in, or swapped with the next.
 * @param {string} text
 * @param {Random} random
 */
function misspell(text, random) {
  const letters = [...text];
  const at = random.between(1, Math.max(1, letters.length - 2));
  const letter = random.pick([...LETTERS]);
  const edits = [
    () => letters.splice(at, 1, letter),
    () => letters.splice(at, 1),
    () => letters.splice(at, 0, letter),
    () => letters.splice(at, 2, letters[at + 1] ?? letter, letters[at] ?? letter),
  ];
  random.pick(edits)();
  return letters.join('');
}

/** @param {Source} source */
function someAttributes({ sample, random }) {
  const attributes = [...sample.values.keys()];
  const first = random.between(0, attributes.length - 1);
  return attributes.slice(first, first + random.between(1, 3));
}

/** @param {Source} source */
function filterOf({ sample, random }) {
  const [attribute, values] = random.pick([...sample.values]);
  const value = random.pick(values);
  if (typeof value === 'number') return `${attribute} ${random.pick(['<', '>='])} ${value}`;
  return `${attribute} = ${JSON.stringify(value)}`;
}
