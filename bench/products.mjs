// Synthetic product documents: shop-like text, facets and numbers. Document n is the same in every run and does not
// depend on how many are made, so a smaller set is a prefix of a larger one.
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Random } from './random.mjs';

/** Most documents that `generate` makes: what a large shop has. */
export const MOST_PRODUCTS = 4_000_000;

const SEED = 20_260_101;
const LINES_PER_CHUNK = 500;
const VOCABULARY_SIZE = 40_000;
const N_BRANDS = 1_200;

const ONSETS =
  'b c d f g h j k l m n p r s t v w z br cr dr fl gr pl pr sl st str th tr sh ch'.split(' ');
const VOWELS = 'a e i o u ai ea io ou'.split(' ');
const CODAS = ['', '', '', 'l', 'm', 'n', 'r', 's', 't', 'nd', 'rk', 'st'];
const COLORS = 'black white silver red blue green grey brown navy beige pink yellow orange'.split(
  ' ',
);
const MATERIALS = 'steel oak cotton leather wool glass ceramic bamboo linen aluminium rubber'.split(
  ' ',
);
const CATEGORIES = (
  'Kitchen/Pans Kitchen/Knives Kitchen/Storage Garden/Tools Garden/Furniture Garden/Lighting Office/Chairs ' +
  'Office/Desks Office/Paper Audio/Headphones Audio/Speakers Audio/Cables Sport/Cycling Sport/Running ' +
  'Sport/Climbing Clothing/Jackets Clothing/Shoes Clothing/Shirts Toys/Puzzles Toys/Models Home/Lamps ' +
  'Home/Rugs Home/Curtains Tools/Drills Tools/Saws Tools/Measuring Travel/Bags Travel/Cases Baby/Prams Pets/Dogs'
).split(' ');
const KINDS =
  'pan knife box shovel chair lamp desk notebook headphones speaker cable helmet shoe rope jacket shirt puzzle kit rug curtain drill saw ruler bag case pram leash'.split(
    ' ',
  );

/**
 * Words that can be pronounced, most frequent first.
 * @param {number} count
 * @param {number} seed
 */
function inventWords(count, seed) {
  const random = new Random(seed);
  /** @type {Set<string>} */
  const words = new Set();
  while (words.size < count) {
    const syllables = random.between(1, 4);
    let word = '';
    for (let n = 0; n < syllables; n += 1) word += random.pick(ONSETS) + random.pick(VOWELS);
    word += random.pick(CODAS);
    if (word.length > 2) words.add(word);
  }
  return [...words];
}

const vocabulary = inventWords(VOCABULARY_SIZE, SEED);
const brands = inventWords(N_BRANDS, SEED + 1).map(
  (word) => word[0]?.toUpperCase() + word.slice(1),
);

/**
 * Document number `n`, from 0.
 * @param {number} n
 */
export function product(n) {
  const random = new Random(SEED + Math.imul(n + 1, 0x85ebca6b));
  const brand = random.pickSkewed(brands);
  const category = random.pickSkewed(CATEGORIES);
  const color = random.pickSkewed(COLORS);
  const kind = random.pick(KINDS);
  const series = random.pickSkewed(vocabulary);
  const day = new Date(Date.UTC(2015, 0, 1) + random.between(0, 3_900) * 86_400_000);
  return {
    id: n + 1,
    sku: `${brand.slice(0, 3).toUpperCase()}-${random.between(1000, 9999)}-${(n + 1).toString(36)}`,
    name: `${brand} ${series} ${random.pick(MATERIALS)} ${kind} ${random.between(1, 60) * 10}`,
    brand,
    category: category.split('/'),
    description: describe(random, kind),
    color,
    price: random.between(199, 249_900) / 100,
    rating: random.between(10, 50) / 10,
    reviews: Math.floor(random.next() ** 4 * 5_000),
    inStock: random.next() < 0.85,
    releasedAt: day.toISOString().slice(0, 10),
  };
}

/**
 * @param {Random} random
 * @param {string} kind
 */
function describe(random, kind) {
  const sentences = Array.from({ length: random.between(1, 5) }, () => {
    const words = Array.from({ length: random.between(5, 16) }, () =>
      random.pickSkewed(vocabulary),
    );
    const text = words.join(' ');
    return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
  });
  return `This ${kind} in ${random.pick(MATERIALS)}. ${sentences.join(' ')}`;
}

/**
 * @param {number} count
 */
function* chunks(count) {
  for (let from = 0; from < count; from += LINES_PER_CHUNK) {
    let text = '';
    const to = Math.min(count, from + LINES_PER_CHUNK);
    for (let n = from; n < to; n += 1) text += `${JSON.stringify(product(n))}\n`;
    yield text;
  }
}

/**
 * Writes products as NDJSON in constant memory: to a file, gzipped when its name ends in .gz, or to standard output
 * for `-`.
 * @param {number} count
 * @param {string} file
 */
export async function writeProducts(count, file) {
  if (!Number.isInteger(count) || count < 1 || count > MOST_PRODUCTS) {
    throw new Error(`between 1 and ${MOST_PRODUCTS} documents, not ${count}`);
  }
  const source = Readable.from(chunks(count));
  const target = file === '-' ? process.stdout : createWriteStream(file);
  if (file.endsWith('.gz')) await pipeline(source, createGzip({ level: 4 }), target);
  else await pipeline(source, target, { end: file !== '-' });
}
