import type { Server } from 'node:http';
import { Socket } from 'node:net';

/**
 * Gives a server connections that it has not accepted by itself. It begins to look after them, and
 * their time limits, as if it listened.
 */
export function takesConnections(server: Server): (connection: Socket) => void {
  server.emit('listening');
  return (connection) => {
    server.emit('connection', connection);
    if (connection.isPaused()) connection.resume();
  };
}

/** The connection behind a descriptor, as a server would have accepted it. */
export function connectionOf(descriptor: number, allowHalfOpen: boolean): Socket {
  const socket = new Socket({ fd: descriptor, allowHalfOpen, readable: true, writable: true });
  socket.setNoDelay(true);
  return socket;
}
