// Does something at a steady rate, whether or not what was begun before has ended.
import { setTimeout as delay } from 'node:timers/promises';

const TICK_MS = 20;

/**
 * Until `isOver`, begins `each` so often a second; resolves when all of them have ended. One that comes due while so
 * many are under way is left out: its number is given back.
 * @param {{perSecond: number, most: number, isOver: () => boolean}} pace
 * @param {() => Promise<void>} each
 */
export async function atRate({ perSecond, most, isOver }, each) {
  const started = performance.now();
  /** @type {Set<Promise<void>>} */
  const underWay = new Set();
  let begun = 0;
  let leftOut = 0;
  while (!isOver()) {
    const due = Math.floor(((performance.now() - started) / 1000) * perSecond);
    for (; begun < due; begun += 1) {
      if (underWay.size >= most) {
        leftOut += 1;
        continue;
      }
      const one = each().finally(() => underWay.delete(one));
      underWay.add(one);
    }
    await delay(TICK_MS);
  }
  await Promise.all(underWay);
  return leftOut;
}
