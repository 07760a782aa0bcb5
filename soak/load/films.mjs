// The demo films as documents with vectors, and the indexes that hold them.
import { lines, openDataset } from '../../bench/dataset.mjs';

/** Length of the vectors. */
export const DIMENSIONS = 8;
/** Indexes that hold the same films. */
export const INDEXES = ['films', 'next'];
const BATCH = 5_000;

/**
 * @typedef {{id: number, [name: string]: unknown}} Film
 * @typedef {import('../../bench/random.mjs').Random} Random
 */

/**
 * @param {number} count
 * @param {Random} random
 */
export async function readFilms(count, random) {
  /** @type {Film[]} */
  const films = [];
  for await (const line of lines(openDataset('movies'), count)) {
    films.push(withVector(JSON.parse(line), random));
  }
  return films;
}

/**
 * A film with a vector that is made up.
 * @param {Film} film
 * @param {Random} random
 * @returns {Film}
 */
export function withVector(film, random) {
  const own = Array.from({ length: DIMENSIONS }, () => Number(random.next().toFixed(4)));
  return { ...film, _vectors: { own } };
}

/** Settings of the indexes at first. */
export function firstSettings() {
  const { settings } = openDataset('movies');
  return {
    ...settings,
    filterableAttributes: [...(settings.filterableAttributes ?? []), 'id'],
    embedders: { own: { source: 'userProvided', dimensions: DIMENSIONS } },
  };
}

/**
 * Makes the indexes and waits for them.
 * @param {import('../../bench/target.mjs').Target} server
 * @param {Film[]} films
 */
export async function loadFilms(server, films) {
  await server.call('PATCH', '/experimental-features', {
    editDocumentsByFunction: true,
    metrics: true,
  });
  for (const index of INDEXES) {
    await server.done(server.call('PATCH', `/indexes/${index}/settings`, firstSettings()));
    for (let at = 0; at < films.length; at += BATCH) {
      const body = films.slice(at, at + BATCH);
      await server.done(server.call('POST', `/indexes/${index}/documents?primaryKey=id`, body));
    }
  }
}
