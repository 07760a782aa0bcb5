import type { FastifyRequest } from 'fastify';

/** Existing clients use the second one. */
const PREFIXES = ['svc-', 'meili-'];

/** Whether a header that says yes or no says yes, under any of its names. */
export function hasFlag({ headers }: FastifyRequest, name: string): boolean {
  return PREFIXES.some((prefix) => headers[`${prefix}${name}`] === 'true');
}
