import type { FastifyRequest } from 'fastify';

/** Headers by which a sender asks what was searched for; existing clients use the second name. */
const HEADERS = ['svc-include-metadata', 'meili-include-metadata'];

/** Whether the answer is to say what was asked of which index. */
export function includesMetadata({ headers }: FastifyRequest): boolean {
  return HEADERS.some((name) => headers[name] === 'true');
}
