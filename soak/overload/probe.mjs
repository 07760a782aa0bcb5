// A steady search beside and after a flood: ten times a second, and when it is answered as usual again.
import { setTimeout as delay } from 'node:timers/promises';
import { freshBody } from '../../bench/fresh-search.mjs';
import { percentile } from '../../bench/numbers.mjs';
import { Flood } from './flood.mjs';

const PER_SECOND = 10;
const EVERY_MS = 1000 / PER_SECOND;
const QUIET_SEARCHES = 50;
/** Only what never recovers takes so long, however busy the machine is. */
const LONGEST_MS = 180_000;

/** A search that waits for its turn like any other: no answer to it is remembered. */
const nextSearch = () => ({
  method: 'POST',
  path: '/indexes/films/search',
  body: Buffer.from(JSON.stringify(freshBody({ q: 'night city', limit: 20 }))),
});

/** Median of the search while nobody else asks. @param {URL} url */
export async function quietMs(url) {
  const probe = new Flood(url, 1);
  for (let search = 0; search < QUIET_SEARCHES; search += 1) await probe.send(nextSearch());
  probe.close();
  return percentile(
    probe.answers.map(({ ms }) => ms),
    50,
  );
}

/**
 * Searches ten times a second from now on. How long until the first of ten searches in a row that are all
 * answered, none later than is usual; infinite when that never comes.
 * @param {URL} url
 * @param {number} usualMs
 */
export async function untilUsual(url, usualMs) {
  const started = performance.now();
  const probe = new Flood(url, PER_SECOND * 10);
  /** @type {boolean[]} */
  const good = [];
  try {
    for (let nth = 0; nth * EVERY_MS < LONGEST_MS; nth += 1) {
      await delay(started + nth * EVERY_MS - performance.now());
      void probe.send(nextSearch()).then(({ status, ms }) => {
        good[nth] = status === 200 && ms <= usualMs;
      });
      const first = firstGoodSecond(good);
      if (first !== undefined) return first * EVERY_MS;
    }
    return Number.POSITIVE_INFINITY;
  } finally {
    probe.close();
  }
}

/**
 * The first of as many searches in a row as a second has, all of them good.
 * @param {readonly (boolean | undefined)[]} good by search; absent until it is answered
 */
export function firstGoodSecond(good) {
  let since = 0;
  for (let nth = 0; nth < good.length; nth += 1) {
    if (good[nth] !== true) since = nth + 1;
    else if (nth + 1 - since >= PER_SECOND) return since;
  }
  return undefined;
}
