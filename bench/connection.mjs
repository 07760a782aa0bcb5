// One keep-alive connection for timed requests. It writes prepared bytes and reads just enough of HTTP/1.1 to find the
// end of an answer, which costs about half of what node:http does and so disturbs the server less.
import { connect } from 'node:net';

const PATIENCE_MS = 120_000;
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * @typedef {{status: number, bytes: number, body: Buffer}} Reply
 */

/**
 * The bytes of a JSON POST.
 * @param {{url: URL, key?: string | undefined}} target
 * @param {string} path
 * @param {unknown} body
 */
export function preparePost(target, path, body) {
  const json = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${target.url.host}`,
    ...(target.key ? [`authorization: Bearer ${target.key}`] : []),
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(json)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${json}`);
}

export class Connection {
  #url;
  /** @type {import('node:net').Socket | undefined} */
  #socket;
  /** @type {Buffer} */
  #received = Buffer.alloc(0);
  /** @type {{resolve: (reply: Reply) => void, reject: (error: Error) => void} | undefined} */
  #waiting;

  /** @param {URL} url */
  constructor(url) {
    this.#url = url;
  }

  /**
   * One exchange; only one may be under way.
   * @param {Buffer} request
   * @returns {Promise<Reply>}
   */
  send(request) {
    this.#socket ??= this.#open();
    this.#socket.write(request);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  close() {
    this.#waiting = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open() {
    const host = this.#url.hostname;
    const socket = connect({ host, port: Number(this.#url.port || 80), noDelay: true });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer')));
    socket.on('data', (data) => this.#read(data));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed')));
    return socket;
  }

  /** @param {Error} error */
  #fail(error) {
    this.#socket = undefined;
    this.#received = Buffer.alloc(0);
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  /** @param {Buffer} data */
  #read(data) {
    this.#received = this.#received.length ? Buffer.concat([this.#received, data]) : data;
    const reply = parseReply(this.#received);
    if (!reply) return;
    this.#received = Buffer.alloc(0);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(reply);
  }
}

/**
 * The reply, once all of it is there.
 * @param {Buffer} received
 * @returns {Reply | undefined}
 */
export function parseReply(received) {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = received.toString('latin1', 0, end).toLowerCase();
  const status = Number(head.slice(9, 12));
  const start = end + HEAD_END.length;
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  const body =
    length === undefined
      ? joinChunks(received, start)
      : received.length >= start + Number(length)
        ? received.subarray(start, start + Number(length))
        : undefined;
  return body && { status, bytes: body.length, body };
}

/**
 * The content of a chunked body that begins at `from`, once its last chunk is there.
 * @param {Buffer} received
 * @param {number} from
 */
function joinChunks(received, from) {
  const parts = [];
  for (let at = from; ; ) {
    const line = received.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(received.toString('latin1', at, line), 16);
    const next = line + 2 + size + 2;
    if (received.length < next) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(received.subarray(line + 2, line + 2 + size));
    at = next;
  }
}
