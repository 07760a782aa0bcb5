import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRehearsed } from './rehearse.js';

/** Who wants to know of answers. */
export interface RequestObserver {
  /** Whether it listens at present. */
  readonly isOn: () => boolean;
  /** Takes note of an answer that went out so many milliseconds after its request came. */
  readonly answered: (request: FastifyRequest, reply: FastifyReply, tookMs: number) => void;
}

/** Tells observers of the answers to clients' requests that come while they listen: others cost nothing. */
export function observeRequests(app: FastifyInstance, observers: readonly RequestObserver[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (observers.some(isListening) && !isRehearsed(request)) {
      const listening = observers.filter(isListening);
      const startedAt = performance.now();
      reply.raw.once('finish', () => {
        const tookMs = performance.now() - startedAt;
        for (const { answered } of listening) answered(request, reply, tookMs);
      });
    }
    done();
  });
}

const isListening = ({ isOn }: RequestObserver): boolean => isOn();
