// Draws the pictures of docs/relevancy.md into docs/pictures: `node scripts/pictures.mjs`. What they say of the demo
// films is held by __test__/documents/relevancy-numbers.test.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './paths.mjs';

const FOLDER = inRoot('docs', 'pictures');
const FONT = 'font-family="system-ui, sans-serif" font-size="14"';

/** @typedef {{x: number, y: number, width: number, label: string, note?: string, kind?: 'first' | 'rest'}} Box */

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @param {Box} box */
function box({ x, y, width, label, note, kind = 'rest' }) {
  const [fill, line] = kind === 'first' ? ['#d8ecd9', '#2e7d32'] : ['#f1f3f5', '#868e96'];
  const height = note === undefined ? 32 : 48;
  const middle = x + width / 2;
  const below =
    note === undefined
      ? ''
      : `<text x="${middle}" y="${y + 38}" text-anchor="middle" font-size="12" fill="#495057">${escaped(note)}</text>`;
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${fill}" stroke="${line}"/>
<text x="${middle}" y="${y + 20}" text-anchor="middle" fill="#212529">${escaped(label)}</text>${below}`;
}

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
const arrow = (x1, y1, x2, y2) =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#868e96" marker-end="url(#tip)"/>`;

/** @param {number} x @param {number} y @param {string} text */
const words = (x, y, text) => `<text x="${x}" y="${y}" fill="#495057">${escaped(text)}</text>`;

/** @param {number} width @param {number} height @param {string} title @param {string[]} parts */
function picture(width, height, title, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" ${FONT}>
<title>${escaped(title)}</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#868e96"/></marker></defs>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${parts.join('\n')}
</svg>
`;
}

/** How "night train" becomes words, and what each of them also finds. */
function drawQuery() {
  return picture(760, 250, 'From the text of a query to the words that are looked for', [
    box({ x: 20, y: 16, width: 160, label: 'night train' }),
    words(200, 37, 'as typed: two words, and the last one may go on'),
    arrow(70, 48, 70, 84),
    arrow(130, 48, 390, 84),
    arrow(160, 48, 640, 84),
    box({ x: 20, y: 86, width: 200, label: 'night', note: 'the word itself', kind: 'first' }),
    box({
      x: 300,
      y: 86,
      width: 200,
      label: 'train…',
      note: 'train, trained, trainer',
      kind: 'first',
    }),
    box({ x: 560, y: 86, width: 180, label: 'nighttrain', note: 'both as one word' }),
    arrow(120, 134, 120, 168),
    arrow(400, 134, 400, 168),
    box({ x: 20, y: 170, width: 200, label: 'night, 1 typo', note: 'nights' }),
    box({ x: 300, y: 170, width: 200, label: 'train, 1 typo', note: 'trail, twain' }),
    words(20, 240, 'knight and strain are not found: another first letter counts as two typos'),
  ]);
}

/** How the rules split the films that "night train" finds. */
function drawBuckets() {
  const rows = [
    { y: 20, rule: '', boxes: [['812 films', 'at least the first word', 812]] },
    {
      y: 100,
      rule: 'words',
      boxes: [
        ['29 films', 'both words'],
        ['783 films', 'night only'],
      ],
    },
    {
      y: 180,
      rule: 'typo',
      boxes: [
        ['11 films', 'no typo'],
        ['13 films', 'one'],
        ['5 films', 'two'],
      ],
    },
    {
      y: 260,
      rule: 'proximity',
      boxes: [
        ['4 films', 'side by side'],
        ['7 films', 'farther'],
      ],
    },
    {
      y: 340,
      rule: 'attributeRank',
      boxes: [
        ['3 films', 'in the title'],
        ['1 film', 'in the overview'],
      ],
    },
  ];
  const parts = rows.flatMap(({ y, rule, boxes }, at) => {
    const drawn = boxes.map(([label, note], column) =>
      box({
        x: 160 + column * 190,
        y,
        width: 170,
        label: String(label),
        note: String(note),
        kind: column === 0 ? 'first' : 'rest',
      }),
    );
    const from =
      at === 0 ? [] : boxes.map((_, column) => arrow(245, y - 32, 245 + column * 190, y - 2));
    return [words(20, y + 28, rule), ...from, ...drawn];
  });
  return picture(760, 410, 'Each rule splits the first bucket of the rule before it', parts);
}

/** How far two words may be apart. */
function drawProximity() {
  const rows = [
    ['Night Train to Munich', 'side by side', '4 of 4'],
    ['night on a train', 'one or two words between, or swapped', '3 or 2 of 4'],
    ['a train … last night', 'farther apart, or in different attributes', '1 of 4'],
  ];
  const parts = rows.flatMap(([text = '', note = '', score = ''], at) => [
    box({ x: 20, y: 16 + at * 56, width: 240, label: text, kind: at === 0 ? 'first' : 'rest' }),
    words(280, 37 + at * 56, note),
    words(640, 37 + at * 56, score),
  ]);
  return picture(760, 180, 'Proximity: how far apart the words are', parts);
}

mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, 'query.svg'), drawQuery());
writeFileSync(join(FOLDER, 'buckets.svg'), drawBuckets());
writeFileSync(join(FOLDER, 'proximity.svg'), drawProximity());
