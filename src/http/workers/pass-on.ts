import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { connectedDescriptors } from '../../native/descriptors.js';
import { ENDS_CONNECTION } from './passed-answer.js';

/** Connections to the primary that stay open while nothing is passed on. */
const IDLE_CONNECTIONS = 16;
/** How long they do so: a flood shall leave none behind. */
const IDLE_MS = 3000;

/** Headers that belong to one connection, and those that come anew on the other one. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
  'http2-settings',
  ENDS_CONNECTION,
]);

/**
 * Passes requests on to the primary, over connections inside of the process: bodies are streamed
 * both ways, and whichever side ends early ends the other.
 */
export class PassOn {
  readonly #agent: Agent;

  /** `giveConnection` brings the other end of a connection to the primary. */
  constructor(giveConnection: (descriptor: number) => void) {
    this.#agent = new InnerAgent(giveConnection);
  }

  /** Has the primary answer a request. */
  pass(asked: IncomingMessage, reply: ServerResponse): void {
    try {
      this.#pass(asked, reply);
    } catch {
      // Nothing that the parser takes comes here.
      reply.destroy();
    }
  }

  /** Ends the connections. */
  close(): void {
    this.#agent.destroy();
  }

  #pass(asked: IncomingMessage, reply: ServerResponse): void {
    const passed = request({
      agent: this.#agent,
      method: asked.method,
      path: asked.url,
      setHost: false,
    });
    copyRequestHeaders(asked, passed);
    let isAnswered = false;
    let isDone = false;
    passed.on('response', (answer) => {
      isAnswered = true;
      answerWith(answer, reply, () => {
        isDone = true;
      });
    });
    // Without an answer there is nothing to say: as where the primary itself breaks it off.
    passed.on('error', () => {
      if (!isAnswered) reply.destroy();
    });
    reply.on('close', () => {
      if (!isDone) passed.destroy();
    });
    if (hasBody(asked)) asked.pipe(passed);
    else {
      // As with GET: no headers of a body that there is not.
      passed.useChunkedEncodingByDefault = false;
      passed.end();
    }
  }
}

/** Connects by a pair of descriptors, of which the primary gets one. */
class InnerAgent extends Agent {
  readonly #giveConnection: (descriptor: number) => void;

  constructor(giveConnection: (descriptor: number) => void) {
    super({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, timeout: IDLE_MS });
    this.#giveConnection = giveConnection;
  }

  override createConnection(): Socket {
    const [mine, theirs] = connectedDescriptors();
    this.#giveConnection(theirs);
    const socket = new Socket({ fd: mine, readable: true, writable: true });
    // The agent closes those that time out while nothing is passed on, and no others.
    return socket.setTimeout(IDLE_MS);
  }
}

function hasBody({ headers, httpVersionMajor, readableEnded, complete }: IncomingMessage): boolean {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
    return true;
  }
  return httpVersionMajor >= 2 && !readableEnded && !complete;
}

function copyRequestHeaders(asked: IncomingMessage, passed: ClientRequest): void {
  eachHeader(asked, (name, value) => passed.appendHeader(name, value));
  const authority = asked.headers[':authority'];
  if (asked.headers.host === undefined && typeof authority === 'string') {
    passed.setHeader('host', authority);
  }
}

function answerWith(answer: IncomingMessage, reply: ServerResponse, done: () => void): void {
  const isHttp1 = reply.req.httpVersionMajor < 2;
  reply.statusCode = answer.statusCode ?? 500;
  if (isHttp1) reply.statusMessage = answer.statusMessage ?? '';
  eachHeader(answer, (name, value) => {
    if (name.toLowerCase() !== 'transfer-encoding') reply.appendHeader(name, value);
  });
  if (isHttp1 && answer.headers[ENDS_CONNECTION] !== undefined) {
    reply.setHeader('connection', 'close');
  }
  // The first bytes of a stream may be long in coming; its listener shall know that it is there.
  if (answer.headers['content-length'] === undefined) reply.flushHeaders();
  pipeline(answer, reply, (error) => {
    if (error == null) done();
  });
}

/** The headers that are passed on, as they came: several of one name stay several. */
function eachHeader(
  { rawHeaders }: IncomingMessage,
  take: (name: string, value: string) => void,
): void {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.startsWith(':') || OF_THE_CONNECTION.has(name.toLowerCase())) continue;
    take(name, rawHeaders[at + 1] as string);
  }
}
