import type { FastifyInstance } from 'fastify';

/** Answers up to this many bytes fit what the system holds for a connection. */
const SMALL_BYTES = 64 * 1024;

/**
 * Breaks connections off whose clients take nothing of a large answer for so long: until they do,
 * all of it is held in memory.
 */
export function endStalledAnswers(app: FastifyInstance, afterMs: number): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (Buffer.isBuffer(payload) && payload.length > SMALL_BYTES) {
      reply.raw.setTimeout(afterMs, () => request.raw.socket.destroy());
    }
    done(null, payload);
  });
}
