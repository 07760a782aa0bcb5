// One life of a server with many indexes: what was there is compared, then clients work until it is killed.
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../../bench/random.mjs';
import { Gone } from './connection.mjs';
import { someReadOfMany } from './reads-of-many.mjs';
import { everyRead, someRead } from './reads-of-one.mjs';
import { copy, someWrites } from './writes.mjs';

const CLIENTS = 6;
const MOST_AT_ONCE = 12;
/** Shares of what a client does: writes, reads of many indexes, copies of everything; else it reads one index. */
const WRITES = 0.4;
const OF_MANY = 0.12;
const COPIES = 0.0005;
const LARGEST_SEED = 2 ** 31;

/**
 * @typedef {import('./connection.mjs').Connection} Connection
 * @typedef {import('./model.mjs').Model} Model
 * @typedef {import('../../scripts/server-process.mjs').ServerProcess} ServerProcess
 */

/**
 * Does something for each of many, some at a time.
 * @template T
 * @param {readonly T[]} all
 * @param {(one: T) => Promise<void>} each
 */
export async function forAll(all, each) {
  const left = all.values();
  const worker = async () => {
    for (const one of left) await each(one);
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
}

/**
 * Reads everything of each index, there or not, one after the other.
 * @param {Connection} server
 * @param {Model} model
 * @param {Random} random
 */
export async function compareAll(server, model, random) {
  await forAll(model.names, async (uid) => {
    for (const read of everyRead(uid, model.indexes.get(uid), random)) await server.read(read);
  });
}

/**
 * One thing of a client.
 * @param {Connection} server
 * @param {Model} model
 * @param {Random} random
 */
async function step(server, model, random) {
  const chosen = random.next();
  if (chosen < COPIES) return server.write([copy(random)]);
  const isWrite = chosen < WRITES;
  const isOfMany = !isWrite && chosen < WRITES + OF_MANY;
  const uids = model.claim(random, isOfMany ? MOST_AT_ONCE : 2);
  const [uid, other] = uids;
  if (uid === undefined) return;
  if (isOfMany) await server.read(someReadOfMany(uids, model, random));
  else if (!isWrite) await server.read(someRead(uid, model.indexes.get(uid), random));
  else if (other !== undefined) await server.write(someWrites([uid, other], random, model));
  // Not where the server is gone: what happened to them is not known then.
  model.release(uids);
}

/**
 * Clients work for a while, then the process is killed in the middle of what they do.
 * @param {ServerProcess} process
 * @param {Connection} server
 * @param {Model} model
 * @param {Random} random
 * @param {number} ms
 */
export async function workUntilKilled(process, server, model, random, ms) {
  let isKilled = false;
  const client = async () => {
    const own = new Random(random.between(0, LARGEST_SEED));
    try {
      while (server.wrong.length === 0) await step(server, model, own);
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      if (!isKilled) server.wrong.push(`${error.message}: ${process.output()}`);
    }
  };
  const work = Promise.all(Array.from({ length: CLIENTS }, client));
  await Promise.race([delay(ms), work]);
  isKilled = true;
  await process.stop('SIGKILL');
  await work;
  model.releaseAll();
}
