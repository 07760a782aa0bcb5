// Clients that are up to no good: slow, silent, huge, or gone in the middle.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

const DRIP_MS = 1000;
const GIANT_BYTES = 2 ** 20;
const BOMB_BYTES = 64 * 2 ** 20;

/**
 * @typedef {import('node:net').Socket} Socket
 *
 * @typedef {object} Kind
 * @property {string} name
 * @property {(url: URL) => Promise<Socket>} open one of them
 */

/** @param {URL} url */
async function dial(url) {
  const socket = connect(Number(url.port), url.hostname);
  // Being cut off is what these are for.
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/**
 * @param {string} path
 * @param {number} length
 * @param {string} [further] lines
 */
const head = (path, length, further = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${further}\r\n`;

/**
 * Writes a byte a second.
 * @param {Socket} socket
 * @param {string} text
 */
async function drip(socket, text) {
  for (const byte of text) {
    if (socket.destroyed) return;
    socket.write(byte);
    await delay(DRIP_MS, undefined, { ref: false });
  }
}

/** A body of documents that goes to a file while it arrives. */
export function largeBody() {
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, text: 'as before '.repeat(10) }));
  return JSON.stringify(rows);
}

const bomb = gzipSync(Buffer.alloc(BOMB_BYTES, '['));

/** @type {Kind[]} */
export const KINDS = [
  { name: 'silent', open: dial },
  {
    name: 'a header a second',
    open: async (url) => {
      const socket = await dial(url);
      void drip(socket, head('/indexes/films/search', 2));
      return socket;
    },
  },
  {
    name: 'a byte of a body a second',
    open: async (url) => {
      const socket = await dial(url);
      socket.write(head('/indexes/films/documents', 1_000_000));
      void drip(socket, '['.repeat(1_000));
      return socket;
    },
  },
  {
    name: 'no reading',
    open: async (url) => {
      const socket = await dial(url);
      socket.pause();
      const body = '{"limit":1000}';
      for (let nth = 0; nth < 4; nth += 1) {
        socket.write(head('/indexes/films/documents/fetch', body.length) + body);
      }
      return socket;
    },
  },
  {
    name: 'giant headers',
    open: async (url) => {
      const socket = await dial(url);
      socket.write(head('/indexes/films/search', 2, `X: ${'x'.repeat(GIANT_BYTES)}\r\n`));
      return socket;
    },
  },
  {
    name: 'bombs',
    open: async (url) => {
      const socket = await dial(url);
      socket.write(head('/indexes/films/documents', bomb.length, 'Content-Encoding: gzip\r\n'));
      socket.write(bomb);
      return socket;
    },
  },
];

/**
 * Requests that end at every stage: so many places in the bytes of each, and then the client is gone.
 * @param {URL} url
 * @param {number} places
 */
export async function cutShort(url, places) {
  const small = '{"q":"the night","facets":["genres"],"limit":200}';
  const large = largeBody();
  const requests = [
    head('/indexes/films/search', small.length) + small,
    head('/indexes/cut/documents?primaryKey=id', large.length) + large,
  ];
  for (const request of requests) {
    for (let nth = 0; nth <= places; nth += 1) {
      const socket = await dial(url);
      const length = Math.floor((request.length * nth) / places);
      await new Promise((resolve) => socket.write(request.slice(0, length), resolve));
      // Some are answered by then, some are under way.
      if (nth % 3 === 0) await delay(nth % 7);
      socket.destroy();
    }
  }
}
