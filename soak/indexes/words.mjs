// Words that are found exactly: of four letters, which may have no typo, none of which begins another, and of whose
// parts and pairs none is a word.

const STARTS = ['ba', 'ce', 'di', 'fo', 'gu', 'ka', 'le', 'mi', 'no', 'ru'];
const ENDS = ['ha', 'je', 'pi', 'so', 'zu', 'ta', 've', 'wi', 'xo', 'yu'];

export const WORDS = STARTS.flatMap((start) => ENDS.map((end) => start + end));
/** Words that may become stop words; never asked for alone. */
export const SMALL_WORDS = ['the', 'and', 'of'];
export const GROUPS = ['g0', 'g1', 'g2', 'g3', 'g4'];

/** @param {import('../../bench/random.mjs').Random} random */
export function someText(random) {
  const words = Array.from({ length: random.between(1, 8) }, () =>
    random.next() < 0.2 ? random.pick(SMALL_WORDS) : random.pick(WORDS),
  );
  return words.join(' ');
}

/**
 * Whether all words of a query are in a text, as the settings have it.
 * @param {readonly string[]} query
 * @param {string} text
 * @param {import('./model.mjs').Settings} settings
 */
export function matches(query, text, { stopWords, synonyms }) {
  const words = text.split(' ');
  return query
    .filter((word) => !stopWords.includes(word))
    .every((word) => [word, ...(synonyms[word] ?? [])].some((other) => words.includes(other)));
}
