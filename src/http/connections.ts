import type { Http2Session } from 'node:http2';
import type { Server, Socket } from 'node:net';

/** The open connections of a server, so that it can end in a bounded time. */
export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Http2Session>();

  /** Remembers the connections that a server takes from now on. */
  track(server: Server): void {
    server.on('connection', (socket: Socket) => keep(this.#sockets, socket));
    server.on('session', (session: Http2Session) => keep(this.#sessions, session));
  }

  /** Lets sessions of HTTP/2 end with the requests they have: nothing new is taken on them. */
  endSessions(): void {
    for (const session of this.#sessions) session.close();
  }

  /** Resolves once none is left. */
  async ended(): Promise<void> {
    for (const socket of this.#sockets) await new Promise((end) => socket.once('close', end));
  }

  /** Breaks those off that nothing came on, as clients open them for later. */
  destroyUnused(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Breaks every connection off. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function keep<T extends Socket | Http2Session>(set: Set<T>, item: T): void {
  set.add(item);
  item.once('close', () => set.delete(item));
}
