import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, errorBody } from '../errors/api-error.js';
import { ERROR_CODES, type ErrorCode, isErrorCode } from '../errors/codes.js';
import { systemError } from '../errors/system-error.js';
import type { Logs } from '../logs/logs.js';
import { SearchAborted } from '../native/search-aborted.js';
import { JSON_ONLY, refusedContentType } from './content-type.js';
import { discardedBody } from './discarded-body.js';

/** Seconds after which a client should come back when the server is overloaded. */
const RETRY_AFTER_SECONDS = 10;

/** Translates every error to the wire; what is not meant for clients is logged and hidden. */
export function handleErrors(app: FastifyInstance, logs: Logs): void {
  app.setErrorHandler(async (error: Error, request, reply) => {
    const { code, message, status } = shownError(error, request);
    // Whose client has gone is no failure.
    const isWanted = !(error instanceof SearchAborted);
    if (code === 'internal' && isWanted)
      logs.log('error', 'http', 'a request failed unexpectedly', { err: error });
    // Its answer ends the connection.
    if (code === 'payload_too_large') await discardedBody(request.raw);
    return sendError(reply, code, message, status);
  });
}

/** Answers with an error body. */
export function sendError(
  reply: FastifyReply,
  code: ErrorCode,
  message: string,
  status = ERROR_CODES[code].status,
): FastifyReply {
  if (status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (status === 413) endConnection(reply);
  return reply
    .code(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(errorBody(code, message))));
}

/** Takes no further request on the connection. HTTP/2 has no such header, and needs none. */
export function endConnection(reply: FastifyReply): void {
  if (reply.request.raw.httpVersionMajor < 2) reply.header('connection', 'close');
}

interface ShownError {
  readonly code: ErrorCode;
  readonly message: string;
  /** Where it is not the status of the code. */
  readonly status?: number;
}

/** What the client is told. Errors of the engine carry a code of ours without being an ApiError. */
function shownError(error: Error, request: FastifyRequest): ShownError {
  if (error instanceof ApiError) return error;
  const { code, statusCode } = error as FastifyError;
  if (typeof code === 'string' && isErrorCode(code)) return { code, message: error.message };
  const failed = systemError(error);
  if (failed !== undefined) return failed;
  // The framework refuses headers that are no media type at all before the route is asked.
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const { accepts = JSON_ONLY } = request.routeOptions.config;
    return refusedContentType(request.headers['content-type'], accepts);
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return { code: 'bad_request', message: error.message };
  }
  return { code: 'internal', message: 'An internal error has occurred.' };
}
