import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server,
  type Socket,
} from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logs } from '../../logs/logs.js';
import { duplicateDescriptor } from '../../native/descriptors.js';
import type { ServerOptions } from '../create-server.js';
import type { Services } from '../services.js';
import { RememberedSessions, type SharedTls } from '../tls.js';
import { takesConnections } from './given-connections.js';
import { LoopThread } from './loop-thread.js';
import type { LoopOptions } from './messages.js';
import { PassedAnswer } from './passed-answer.js';
import { primaryServices } from './primary-services.js';
import { SharedCounts } from './shared-counts.js';
import { type PublishedState, StatePublisher } from './state-publisher.js';

/** Bytes of the secret of session tickets. */
const TICKET_KEY_BYTES = 48;

/** How the event loops of a server are started. */
export interface TeamOptions {
  /** The program of the threads. */
  readonly program: string;
  /** How many loops there are, the primary included. */
  readonly loops: number;
  readonly loop: Omit<LoopOptions, 'searchQueue' | 'ticketKeys'>;
  /** The searches of all loops. */
  readonly searchQueue: LoopOptions['searchQueue'];
  /** A thread has ended although it was not asked to. */
  readonly onDeath: (reason: Error) => void;
}

/** What the primary answers and tells the loops with. */
export interface TeamParts extends PublishedState {
  readonly services: Services;
  readonly logs: Logs;
}

/**
 * Event loops that answer requests together: the primary, which has everything and accepts all
 * connections, and threads that it gives most of them to. Each connection stays where it is.
 */
export class HttpTeam {
  /** What the server of the primary encrypts with, as the others do. */
  readonly tls: SharedTls = {
    ticketKeys: randomBytes(TICKET_KEY_BYTES),
    sessions: new RememberedSessions(),
  };
  readonly #options: TeamOptions;
  readonly #counts = new SharedCounts();
  readonly #front: Server;
  #threads: readonly LoopThread[] = [];
  #turn = 0;

  constructor(options: TeamOptions) {
    this.#options = options;
    const allowHalfOpen = options.loop.tls.sslCertPath === undefined;
    this.#front = createNetServer({ allowHalfOpen, pauseOnConnect: true, noDelay: true });
  }

  /** What the server of the primary is told of the others. */
  get primary(): Pick<ServerOptions, 'isGivenConnections' | 'searchQueue' | 'measureOthers'> {
    const searchQueue = { ...this.#searchQueue(0), room: this.#counts };
    const measureOthers = () => Promise.all(this.#threads.map((thread) => thread.measures()));
    return { isGivenConnections: true, searchQueue, measureOthers };
  }

  /** Starts the threads; `app` is the server of the primary, and answers what they pass on. */
  async start(app: FastifyInstance, parts: TeamParts): Promise<void> {
    const { program, loops, loop, onDeath } = this.#options;
    await app.ready();
    const inner = createHttpServer(
      { ServerResponse: PassedAnswer, keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 },
      app.routing,
    );
    const owner = {
      services: primaryServices(parts.services, this.tls.sessions),
      log: (line: string) => parts.logs.take(line),
      connected: (connection: Socket) => inner.emit('connection', connection),
      died: onDeath,
    };
    this.#threads = Array.from({ length: loops - 1 }, (_, at) => {
      const { ticketKeys } = this.tls;
      const options = { ...loop, ticketKeys, searchQueue: this.#searchQueue(at + 1) };
      return new LoopThread(program, options, this.#counts, owner);
    });
    const ports = this.#threads.map(({ state }) => state);
    new StatePublisher(ports, this.#counts, parts);
    const takeHere = takesConnections(app.server);
    this.#front.on('connection', (connection) => this.#give(connection, takeHere));
    await Promise.all(this.#threads.map((thread) => thread.ready()));
  }

  /** Listens; resolves to the address of the server. */
  async listen(at: { readonly host: string; readonly port: number }): Promise<string> {
    this.#front.listen(at);
    await once(this.#front, 'listening');
    const { address, family, port } = this.#front.address() as AddressInfo;
    const scheme = this.#options.loop.tls.sslCertPath === undefined ? 'http' : 'https';
    return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Takes no more connections, and lets the threads end once theirs have. */
  async close(): Promise<void> {
    this.#front.close();
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /** The searches of one loop: its part of those that run, and all the room to wait in. */
  #searchQueue(at: number): LoopOptions['searchQueue'] {
    const { searchQueue, loops } = this.#options;
    const rest = at < searchQueue.running % loops ? 1 : 0;
    const running = Math.max(1, Math.floor(searchQueue.running / loops) + rest);
    return { ...searchQueue, running };
  }

  /** Gives a connection to the loop whose turn it is. */
  #give(connection: Socket, takeHere: (connection: Socket) => void): void {
    const turn = this.#turn;
    this.#turn = (turn + 1) % (this.#threads.length + 1);
    const thread = this.#threads[turn];
    const descriptor = thread === undefined ? undefined : descriptorOf(connection);
    if (thread === undefined || descriptor === undefined) {
      takeHere(connection);
      return;
    }
    // The other descriptor keeps it open.
    connection.destroy();
    thread.take(descriptor);
  }
}

/** Another descriptor of a connection, unless there are too many. */
function descriptorOf(connection: Socket): number | undefined {
  const { _handle: handle } = connection as { _handle?: { readonly fd?: number } | null };
  try {
    return handle?.fd === undefined ? undefined : duplicateDescriptor(handle.fd);
  } catch {
    return undefined;
  }
}
