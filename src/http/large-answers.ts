import type { FastifyInstance } from 'fastify';
import { freeAnswer } from '../native/answer.js';

/**
 * Answers up to this many bytes fit what the system holds for a connection. The addon copies them,
 * so that there is nothing of them to free.
 */
const SMALL_BYTES = 32 * 1024;

/**
 * Holds the memory of large answers no longer than needed. It is freed as soon as the system has
 * all bytes; until then it must be held, so connections are broken off whose clients take nothing
 * for `stalledAfterMs`.
 */
export function watchLargeAnswers(app: FastifyInstance, stalledAfterMs: number): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (Buffer.isBuffer(payload) && payload.length > SMALL_BYTES) {
      reply.raw.setTimeout(stalledAfterMs, () => request.raw.socket.destroy());
      // Where requests share a connection, an ended answer may still wait in its queue.
      if (request.raw.httpVersionMajor === 1) {
        reply.raw.once('finish', () => freeAnswer(payload));
      }
    }
    done(null, payload);
  });
}
