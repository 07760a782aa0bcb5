import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from '../errors/api-error.js';

/** What the parser of the platform says of bytes that are no request. */
export interface BrokenRequest extends Error {
  readonly code?: string;
  /** The parser's own words. */
  readonly reason?: string;
}

interface Verdict {
  readonly status: number;
  readonly message: string;
}

const VERDICTS: Readonly<Record<string, Verdict>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The address or the headers are too large.' },
  HPE_INVALID_EOF_STATE: { status: 400, message: 'The request is incomplete.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
};

/** How long what still comes is read and dropped, so that the client sees the answer before the end. */
const LINGER_MS = 1000;

/** Answers bytes that are no request with an error body like all others, and ends the connection. */
export function refuseBrokenRequest(error: BrokenRequest, socket: Socket): void {
  const { _httpMessage: begun } = socket as { _httpMessage?: ServerResponse };
  if (!socket.writable || error.code === 'ECONNRESET' || begun?.headersSent === true) {
    socket.destroy();
    return;
  }
  // A connection that is closed with bytes unread is reset, and the answer may be lost with it.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.once('end', () => socket.destroy());
  socket.end(answerTo(error));
}

function answerTo({ code = '', reason, message }: BrokenRequest): string {
  const verdict = VERDICTS[code] ?? {
    status: 400,
    message: `The request is not valid HTTP: ${reason ?? message}`,
  };
  const body = JSON.stringify(errorBody('bad_request', verdict.message));
  return [
    `HTTP/1.1 ${verdict.status} ${STATUS_CODES[verdict.status]}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
